import { describeEnumeration } from '../../../test/support/enumeration.ts';
import { apply, happenings, idle, links, provenBy } from './support/model.ts';

const { compact, answerRead, started, compacting, success, failed, init, boundary, commandFailed, result } = happenings;
const { queued, abort, lifeCancelled } = happenings;
const { status, initForeign, initBare, boundaryAuto, resultStale, resultAutonomous, startedStale, send } = happenings;

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
    { sequence: [started, compacting, success, init, result], gives: { status: 'unconfirmed', reason: 'no_evidence' } },
    { sequence: [started, compacting, success, boundary, result], gives: { status: 'unconfirmed', reason: 'no_evidence' } },
    { sequence: [compacting, success, init, boundary, result], gives: { status: 'unconfirmed', reason: 'no_evidence' } },
    { sequence: [happenings.refused], gives: { status: 'rejected', reason: 'native_refused' } },
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
