import type { TurnOutcome, Usage } from '@native-compaction/core';
import type { Operation } from './proof.ts';

/** What is known before Pi has said anything. */
export interface PiFacts {
  /** The native id of the session that is resumed. */
  readonly resume?: string;
  /** Told by the installed package; Pi itself does not say it. */
  readonly version?: string;
  readonly deltas: boolean;
  readonly testedVersions: readonly string[];
}

/** Pi's own state, asked at entry `n`. */
interface StateRead {
  readonly id: string;
  readonly n: number;
  readonly answer?: NativeState | 'failed';
}

export interface NativeState {
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly isBashRunning: boolean;
  readonly pending: number;
  /** Its loop is running, whatever `isStreaming` says; only known in process. */
  readonly isLooping?: boolean;
  readonly sessionId?: string;
  /** The last entry of the session; only known in process. */
  readonly leafId?: string;
  /** The model takes system messages within the conversation, so that a changed prompt is sent behind the old one. */
  readonly isPromptPatched: boolean;
}

/** A native run, from its start until Pi is settled again. */
export interface Run {
  readonly inputId?: string;
  /** Between `agent_start` and `agent_end`, or behind the last of them; unknown of a run whose start we did not see. */
  readonly loop?: 'on' | 'over';
  /** The last assistant message's own word. */
  readonly outcome?: TurnOutcome;
  readonly message?: string;
  readonly usage?: Usage;
}

/**
 * Our prompt, from its write to its end. Pi says `started` before it tries, and two runs that begin at once can make that
 * untrue (1.4.0 to 1.6.0): only the user's message in the conversation is the receipt. A refusal and a prompt that an
 * extension handled wait for a look at what Pi does.
 *
 *   written → started → received → settled
 *        ├──→ refused → looked: held again behind a run of somebody else, or undelivered
 *        └──→ handled → looked: completed
 */
export interface OwnInput {
  readonly id: string;
  readonly text: string;
  readonly stage: 'written' | 'started' | 'received' | 'refused' | 'handled';
  /** Another text came as the user's message: one that a template or an extension made of ours, or somebody else's. */
  readonly isChanged?: boolean;
  /** One of two runs that began at once was settled: the one that could not begin may be ours. */
  readonly isContested?: boolean;
  /** Why Pi refused it. */
  readonly message?: string;
}

/** Pi said that it began a run for it. */
export function hasBegun(input: OwnInput | undefined): input is OwnInput {
  return input?.stage === 'started' || input?.stage === 'received';
}

export interface PiState {
  readonly facts: PiFacts;
  readonly n: number;
  readonly phase: 'opening' | 'open' | 'ended';
  readonly sessionId?: string;
  readonly run?: Run;
  readonly input?: OwnInput;
  readonly read?: StateRead;
  /** Messages in Pi's own queue. */
  readonly pending: number;
  /** Manual compactions of somebody else that started and have not ended. */
  readonly foreign: number;
  /** Two manual ones were open at once: one of them may go on without a word, and end in the place of a later one. */
  readonly hasOrphan: boolean;
  /** A threshold or overflow compaction is running. */
  readonly isAutomatic: boolean;
  /** Shell commands of somebody else that are running, by the id of their command. */
  readonly shells: readonly string[];
  readonly requested?: string;
  readonly operation?: Operation;
  readonly cancelId?: string;
  readonly isPromptPatched: boolean;
  /** The last compaction that Pi told the end of, whoever asked for it; see `toCompactionKey`. */
  readonly lastCompaction?: string;
}

export const OPEN_ID = 'native-compaction-open';
