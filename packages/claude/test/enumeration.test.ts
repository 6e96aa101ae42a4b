import { describeEnumeration } from '../../../test/support/enumeration.ts';
import { apply, catalogue, happenings, idle, initMerged, links, provenBy, resultMerged } from './support/model.ts';

const { compact, answerRead, started, compacting, success, failed, init, boundary, commandFailed, result } = happenings;
const { queued, abort, lifeCancelled, oversize } = happenings;
const { status, initForeign, initBare, boundaryAuto, resultStale, resultAutonomous, startedStale, send } = happenings;

const noEvidence = { status: 'unconfirmed', reason: 'no_evidence' };

describeEnumeration('Claude', {
  model: { idle, apply },
  events: happenings,
  dispatch: [compact, answerRead],
  proofs: {
    completed: { sequence: [queued, started, compacting, success, init, boundary, result], gives: { status: 'completed' } },
    failed: {
      sequence: [queued, started, compacting, failed, init, result],
      gives: { status: 'failed', hint: 'provider_error', context: 'unchanged' },
    },
    empty: {
      sequence: [queued, started, init, commandFailed, result],
      gives: { status: 'failed', hint: 'nothing_to_compact', context: 'unchanged' },
    },
    aborted: { sequence: [queued, abort, lifeCancelled], gives: { status: 'aborted', by: 'caller', context: 'unchanged' } },
  },
  others: [
    { sequence: [started, compacting, success, init, result], gives: noEvidence },
    { sequence: [started, compacting, success, boundary, result], gives: noEvidence },
    { sequence: [compacting, success, init, boundary, result], gives: noEvidence },
    { sequence: [started, compacting, oversize, success, init, boundary, result], gives: noEvidence },
    // A turn that also takes a message of somebody else's is not the command's own.
    { sequence: [started, compacting, success, initMerged, boundary, result], gives: noEvidence },
    { sequence: [started, compacting, success, init, boundary, resultMerged], gives: noEvidence },
    { sequence: [happenings.refused], gives: { status: 'rejected', reason: 'native_refused' } },
  ],
  refusals: [
    ['not_builtin', compact, catalogue({ commands: [{ name: 'compact', builtin: true }, { name: 'compact' }] })],
    ['busy_turn', compact, catalogue({ session_state: 'running' })],
    ['busy_turn', compact, initBare],
    ['busy_compaction', compact, compacting],
    ['not_ready', compact, oversize],
  ],
  links,
  provenBy,
  unrelated: {
    events: [
      queued,
      status,
      initForeign,
      initBare,
      boundaryAuto,
      resultStale,
      resultAutonomous,
      startedStale,
      send,
      answerRead,
      compact,
    ],
    proofs: ['completed'],
  },
  check(before, event, after) {
    const { outcome } = after;
    if (outcome === before.outcome || !outcome) return undefined;
    if (outcome.status === 'aborted' && after.links.started) return 'aborted after the start';
    const isRefusal = outcome.status === 'rejected' && outcome.reason === 'native_refused';
    return isRefusal && event !== happenings.refused ? 'refused by nobody' : undefined;
  },
});
