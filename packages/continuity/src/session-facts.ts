import type { SessionRecord } from '@native-compaction/core';
import type { LedgerFact } from './facts.ts';
import type { EvidenceRef } from './ledger.ts';

/** The facts of one session record, whatever the runtime. A record that says nothing about a request gives none. */
export function factsFromRecord(record: SessionRecord): LedgerFact[] {
  const evidence: EvidenceRef = { source: record.log, position: record.seq, kind: record.type };
  switch (record.type) {
    case 'input_accepted':
      return [{ t: 'accepted', id: record.inputId, text: record.text, evidence }];
    // A session delivers one input at a time, so what was written is begun next, also behind a compaction that comes before it.
    case 'input_written':
    case 'input_received':
      return [{ t: 'started', id: record.inputId, evidence }];
    case 'input_held':
      return [{ t: 'held', id: record.inputId, evidence }];
    case 'turn_started':
      return record.taskId === undefined ? (record.inputIds ?? []).map((id) => ({ t: 'started', id, evidence })) : [];
    case 'input_ended': {
      const { inputId: id, outcome } = record;
      return outcome === 'undelivered' ? [{ t: 'dropped', id, evidence }] : [{ t: 'settled', id, outcome, evidence }];
    }
    case 'turn_ended': {
      if (record.taskId !== undefined || record.kind !== 'prompt') return [];
      const { outcome } = record;
      return (record.inputIds ?? []).map((id) => ({ t: 'settled', id, outcome, evidence }));
    }
    case 'compaction_ended':
      return record.outcome === 'completed' ? [{ t: 'compacted', evidence }] : [];
    default:
      return [];
  }
}
