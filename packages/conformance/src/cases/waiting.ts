import type { ConformanceCase } from '../case.ts';
import { needsProcess } from '../case.ts';
import { recordOf, say } from '../following.ts';
import type { Trial } from '../trial.ts';

const abortedSignal: ConformanceCase = {
  title: 'a signal that is aborted already writes nothing; one right behind the call decides at once',
  requirements: ['signal-first', 'before-dispatch'],
  async run(trial) {
    const session = await trial.openSeeded();
    const written = trial.outgoing;
    trial.like('signal-first', await session.compact({ signal: AbortSignal.abort() }), { status: 'rejected', reason: 'aborted' });
    trial.like('signal-first', trial.outgoing, written);
    const controller = new AbortController();
    const pending = session.compact({ signal: controller.signal });
    controller.abort();
    const result = await pending;
    const commands = trial.written('compact').length;
    trial.like('signal-first', commands, trial.subject.hasGateRead ? 0 : 1);
    if (commands === 0) trial.like('before-dispatch', result, { status: 'rejected', reason: 'aborted' });
    else trial.like('before-dispatch', result, { status: 'unconfirmed', reason: 'signal' });
    await say(session, 'unharmed');
  },
};

const zeroTimeout: ConformanceCase = {
  title: 'a timeout of nothing dispatches first',
  requirements: ['zero-timeout'],
  async run(trial) {
    const session = await trial.openSeeded();
    const result = await session.compact({ timeoutMs: 0 });
    trial.like('zero-timeout', result, { status: 'unconfirmed', reason: 'timeout', dispatchedAtMs: Number.isFinite });
    trial.like('zero-timeout', await recordOf(session, 'compaction_ended'), { outcome: 'completed', late: true });
  },
};

/** Inputs that were written after the last command. */
export function inputsBehindCommand(trial: Trial): number {
  const command = trial.written('compact').at(-1);
  const place = command ? trial.lines.indexOf(command) : trial.lines.length;
  return trial.written('input').filter((line) => trial.lines.indexOf(line) > place).length;
}

/** What must hold when the waiting ends and the operation goes on. */
const waitingEnds = (how: 'timeout' | 'signal'): ConformanceCase => ({
  title: `the waiting ends by ${how}, and nothing else does: the slot is held, the end is told late, held inputs follow it`,
  requirements: [
    'waiting-only',
    'no-timer',
    'one-at-a-time',
    'first-reason',
    'held-in-order',
    'no-input-inside',
    'no-native-queue',
    'display-value',
  ],
  async run(trial) {
    const session = await trial.openSeeded();
    const held = trial.holdSummaries();
    const controller = new AbortController();
    const options = how === 'timeout' ? { timeoutMs: 300 } : { signal: controller.signal };
    const pending = session.compact({ ...options, requestId: 'slow' });
    trial.like('display-value', session.status().compaction, { requestId: 'slow' });
    await held.asked;
    controller.abort();
    const result = await pending;
    trial.like('waiting-only', result, { status: 'unconfirmed', reason: how, started: true, context: 'unknown' });
    const inputs = [session.send('first held'), session.send('second held')];
    trial.like('no-timer', session.status(), { state: 'compacting', compaction: { requestId: 'slow', started: true } });
    trial.like('one-at-a-time', await session.compact(), { status: 'rejected', reason: 'busy_compaction' });
    trial.like('no-input-inside', inputsBehindCommand(trial), 0);
    held.release();
    trial.like('waiting-only', await recordOf(session, 'compaction_ended', (item) => item.requestId === 'slow'), {
      outcome: 'completed',
      late: true,
    });
    trial.like('held-in-order', await Promise.all(inputs.map((input) => input.ended)), ['completed', 'completed']);
    const prompts = trial.lab.server.requests.flatMap((request) =>
      request.isCompaction ? [] : [JSON.stringify(request.messages.at(-1))],
    );
    trial.like(
      'no-native-queue',
      prompts.slice(-2).map((text) => /(first|second) held/.exec(text)?.[1]),
      ['first', 'second'],
    );
    trial.like('first-reason', result, { status: 'unconfirmed', reason: how });
    trial.like('display-value', session.status().compaction, undefined);
  },
});

const unansweredRead: ConformanceCase = {
  title: 'a gate read that is not answered in time refuses, and its late answer dispatches nothing',
  requirements: ['read-deadline', 'no-retry'],
  exempts: (subject) => needsProcess(subject) ?? (subject.hasGateRead ? undefined : 'Its gate asks nothing.'),
  async run(trial) {
    const { session, proxy } = await trial.openProxied([], { readTimeoutMs: 8_000 });
    proxy.withhold((frame) => trial.subject.written(frame) === 'read');
    trial.like('read-deadline', await session.compact(), { status: 'rejected', reason: 'not_ready', context: 'unchanged' });
    trial.like('no-retry', trial.written('compact').length, 0);
    trial.like('read-deadline', await session.compact(), { status: 'completed' });
  },
};

export const waitingCases: readonly ConformanceCase[] = [
  abortedSignal,
  zeroTimeout,
  waitingEnds('timeout'),
  waitingEnds('signal'),
  unansweredRead,
];
