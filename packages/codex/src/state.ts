import type { TurnOutcome } from '@native-compaction/core';
import type { Operation } from './candidate.ts';
import type { ThreadOptions } from './commands.ts';
import type { TurnUsage } from './usage.ts';

/** What is known before the process has said anything. */
export interface CodexFacts {
  readonly thread: ThreadOptions;
  /** The queue of the vendor's own is only there with the experimental capability. */
  readonly experimentalApi: boolean;
  readonly testedVersions: readonly string[];
}

/** A gate read, asked at entry `n`. */
export interface Read {
  readonly id: string;
  readonly n: number;
  readonly isAnswered: boolean;
  readonly hasFailed: boolean;
  /** A goal that is active, or a queue that is not empty. */
  readonly isBusy: boolean;
}

interface EndedTurn {
  readonly turnId: string;
  readonly outcome: TurnOutcome;
}

export interface CodexState {
  readonly facts: CodexFacts;
  readonly n: number;
  readonly phase: 'opening' | 'open' | 'ended';
  readonly threadId: string;
  readonly version?: string;
  /** The turn that runs on our thread, whoever started it. */
  readonly turnId?: string;
  readonly lastTurnId?: string;
  /** Turns that our inputs started. */
  readonly ownTurns: readonly string[];
  readonly input?: { readonly id: string; readonly turnId?: string; readonly isReceived: boolean };
  readonly goal?: Read;
  readonly queue?: Read;
  readonly isGoalActive: boolean;
  /** Once something other than us could start a turn: a goal or the queue may have one on its way that is told of later. */
  readonly isContested: boolean;
  /** Turns that are over, the newest last: a frame that comes late or twice says nothing new. */
  readonly ended: readonly EndedTurn[];
  readonly droppedAt: number;
  /** The last notice that the vendor's queue changed, until a turn begins. */
  readonly queueMovedAt: number;
  readonly requested?: string;
  readonly operation?: Operation;
  /** An automatic compaction that runs inside a turn, by its item. */
  readonly automatic?: string;
  readonly cancelId?: string;
  readonly totalTokens?: number;
  readonly threadTokens?: number;
  readonly turnUsage?: TurnUsage;
  /** The last file changes by item: the question about one names no path of its own. */
  readonly changes: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, { readonly id: string | number; readonly method: string }>>;
}

export const OPEN_IDS = { initialize: 'native-compaction-initialize', thread: 'native-compaction-thread' } as const;
