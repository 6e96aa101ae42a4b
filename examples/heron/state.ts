import type { Evidence, Step } from '@native-compaction/core';
import type { JsonObject, Unparsed } from '@native-compaction/transport';

export type HeronIn = JsonObject | Unparsed;
export type HeronOut = JsonObject;
/** The members of the frame that opens a session. */
export type HeronFacts = JsonObject;

/** Our compaction, by the stage it has reached: one counter, and no flags. */
export interface Operation {
  readonly id: string;
  readonly requestId: string;
  readonly stage: 'written' | 'started' | 'compacted';
  readonly isCancelled: boolean;
  readonly isTainted: boolean;
  readonly before?: number;
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

export interface HeronState {
  readonly phase: 'opening' | 'open' | 'ended';
  readonly requested?: string;
  /** The gate's question: asked at this entry, answered or not. */
  readonly read?: { readonly id: string; readonly n: number; readonly isAnswered: boolean; readonly isBusy: boolean };
  readonly operation?: Operation;
  /** An input on its way. */
  readonly input?: string;
  /** What runs that is not ours: a compaction that somebody else asked for. */
  readonly foreign?: string;
}

export type HeronStep = Step<HeronState, HeronOut>;
