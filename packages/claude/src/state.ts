import type { PromptOptions } from '@native-compaction/core';
import type { Operation } from './proof.ts';

/** What is known before the process has said anything. */
export interface ClaudeFacts {
  /** The session id we resumed or chose; absent where the process makes it up. */
  readonly nativeId?: string;
  readonly prompt: PromptOptions;
  readonly testedVersions: readonly string[];
  /** True registers the hook that asks for text after a compaction. */
  readonly hasCompactionContext?: boolean;
}

/** Immutable, never a closure, so that a state can be kept, forked and compared. */
export interface ClaudeState {
  readonly facts: ClaudeFacts;
  /** The number of the last entry stepped that was more than a piece of text. */
  readonly n: number;
  readonly phase: 'opening' | 'open' | 'ended';
  readonly nativeId?: string;
  /** The session id the process itself has named. */
  readonly session?: string;
  readonly version?: string;
  /**
   * What the process offers. The opening reply does not say (2.1.316, 2.1.332): it is known for tested versions, from the
   * first `init` otherwise, and `undefined` before that.
   */
  readonly hasLifecycle: boolean | undefined;
  readonly canCancelQueued: boolean | undefined;
  /** The last entry whose frame was dropped for its size. */
  readonly droppedAt: number;
  /** The newest catalogue's verdict. */
  readonly isBuiltin?: boolean;
  /** The newest gate read: asked at entry `n`. */
  readonly read?: {
    readonly id: string;
    readonly n: number;
    readonly isAnswered: boolean;
    readonly isRunning: boolean;
    readonly hasFailed: boolean;
  };
  /** Work of the vendor's own beside the turns, such as a child agent; it does not keep a compaction from running. */
  readonly hasBackgroundTasks: boolean;
  /** The native turn that runs; `live` are its messages whose lifecycle has not ended. */
  readonly turn?: { readonly live: readonly string[]; readonly isAutonomous?: true };
  /** Messages whose turn is over, newest last: a repeat of their start opens nothing. */
  readonly over: readonly string[];
  /** The one input of ours that was written and has no end. */
  readonly input?: { readonly id: string; readonly stage: 'written' | 'received' | 'started' | 'over' };
  /** The request the host made last; the command that follows is its. */
  readonly requested?: string;
  readonly operation?: Operation;
  /** A compaction that is not ours. */
  readonly foreign?: { readonly stage: 'started' | 'succeeded' };
  /** The last boundary seen, by its uuid: a repeat of it is no second compaction. */
  readonly boundary?: string;
  readonly cancel?: { readonly id: string; readonly target?: string };
  readonly permissions: Readonly<Record<string, unknown>>;
  /** The message whose pieces come now, by the agent that writes it ('' for the session itself). */
  readonly messages: Readonly<Record<string, string>>;
  /** The last transcript row seen, by its uuid. */
  readonly position?: string;
}

export const OPEN_ID = 'native-compaction-open';
