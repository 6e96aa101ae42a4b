import { describe, expect, test } from 'vitest';
import { freeSlot, type Slot, type SlotEvent, stepSlot } from '../src/slot.ts';

const trail = { started: true, evidence: [{ frame: 1, kind: 'dispatched', ids: {} }] };
const events: SlotEvent[] = [
  { type: 'reserve', requestId: 'r' },
  { type: 'refuse', reason: 'busy_turn' },
  { type: 'dispatch' },
  { type: 'stop_waiting', reason: 'timeout', trail },
  { type: 'stop_waiting', reason: 'signal', trail },
  { type: 'settle', settlement: { status: 'completed', context: 'compacted', evidence: [{ frame: 1, kind: 'x', ids: {} }] } },
  { type: 'end', why: 'disposed', trail },
];

describe('stepSlot', () => {
  test('every sequence of 6 events: one answer per reservation, the first reason wins, no timer frees the slot', {
    timeout: 60_000,
  }, () => {
    let sequences = 0;
    const visit = (slot: Slot, open: number, left: number) => {
      expect(open === 0 || open === 1).toBe(true);
      if (left === 0) {
        sequences += 1;
        return;
      }
      for (const event of events) {
        const next = stepSlot(slot, event);
        const isReserved = slot.phase === 'free' && next.slot.phase === 'reserved';
        if (event.type === 'stop_waiting') expect(next.slot.phase).toBe(slot.phase);
        if (slot.phase === 'dispatched' && next.slot.phase === 'free') expect(['settle', 'end']).toContain(event.type);
        visit(next.slot, open + (isReserved ? 1 : 0) - (next.outcome ? 1 : 0), left - 1);
      }
    };
    visit(freeSlot, 0, 6);
    expect(sequences).toBe(events.length ** 6);
  });

  test('R11 before the dispatch an end is closed, after it unconfirmed with what was seen', () => {
    const reserved = stepSlot(freeSlot, { type: 'reserve', requestId: 'r' }).slot;
    expect(stepSlot(reserved, { type: 'end', why: 'process_exit', trail }).outcome).toMatchObject({
      status: 'rejected',
      reason: 'closed',
      evidence: [],
    });
    const dispatched = stepSlot(reserved, { type: 'dispatch' }).slot;
    const ended = stepSlot(dispatched, { type: 'end', why: 'process_exit', trail }).outcome;
    expect(ended).toMatchObject({ status: 'unconfirmed', reason: 'process_exit', started: true, evidence: trail.evidence });
  });
});
