import type { Outcome, RejectReason, UnconfirmedReason } from './compact-result.ts';
import type { EndReason, Settlement, Trail } from './machine.ts';

/**
 * The session's single place for a native operation, as data (S1). `waiting` is false once the caller has its result
 * while the native operation goes on and keeps the slot (R4).
 */
export type Slot =
  | { readonly phase: 'free' }
  | { readonly phase: 'reserved'; readonly requestId: string }
  | { readonly phase: 'dispatched'; readonly requestId: string; readonly waiting: boolean };

export type SlotEvent =
  | { readonly type: 'reserve'; readonly requestId: string }
  | { readonly type: 'refuse'; readonly reason: RejectReason }
  | { readonly type: 'dispatch' }
  | { readonly type: 'stop_waiting'; readonly reason: Extract<UnconfirmedReason, 'timeout' | 'signal'>; readonly trail: Trail }
  | { readonly type: 'settle'; readonly settlement: Settlement }
  | { readonly type: 'end'; readonly why: EndReason; readonly trail: Trail };

export interface SlotStep {
  readonly slot: Slot;
  /** The caller's one answer, at most once per reservation (R1, R10). */
  readonly outcome?: Outcome;
}

export const freeSlot: Slot = { phase: 'free' };

/** Pure and total: an event that does not apply changes nothing. No timer frees a slot that was dispatched. */
export function stepSlot(slot: Slot, event: SlotEvent): SlotStep {
  switch (event.type) {
    case 'reserve':
      return slot.phase === 'free' ? { slot: { phase: 'reserved', requestId: event.requestId } } : { slot };
    case 'refuse':
      return slot.phase === 'reserved' ? { slot: freeSlot, outcome: rejected(event.reason) } : { slot };
    case 'dispatch':
      if (slot.phase !== 'reserved') return { slot };
      return { slot: { phase: 'dispatched', requestId: slot.requestId, waiting: true } };
    case 'stop_waiting':
      if (slot.phase !== 'dispatched' || !slot.waiting) return { slot };
      return { slot: { ...slot, waiting: false }, outcome: unconfirmed(event.reason, event.trail) };
    case 'settle':
      if (slot.phase !== 'dispatched') return { slot };
      return slot.waiting ? { slot: freeSlot, outcome: event.settlement } : { slot: freeSlot };
    case 'end':
      if (slot.phase === 'reserved') return { slot: freeSlot, outcome: rejected('closed') };
      if (slot.phase !== 'dispatched' || !slot.waiting) return { slot: freeSlot };
      return { slot: freeSlot, outcome: unconfirmed(event.why, event.trail) };
  }
}

export function rejected(reason: RejectReason): Outcome {
  return { status: 'rejected', context: 'unchanged', evidence: [], reason };
}

function unconfirmed(reason: UnconfirmedReason, trail: Trail): Outcome {
  return { status: 'unconfirmed', context: 'unknown', evidence: trail.evidence, reason, started: trail.started };
}
