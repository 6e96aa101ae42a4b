import type { ConformanceCase } from '../case.ts';
import { needsProcess } from '../case.ts';
import { recordOf, recordsSoFar, say } from '../following.ts';
import { answered } from '../trial.ts';
import { inputsBehindCommand } from './waiting.ts';

const busyTurn: ConformanceCase = {
  title: 'a running turn refuses a compaction and goes on; right after its end one is admitted, and only one',
  requirements: ['idle-only', 'one-edge', 'one-at-a-time'],
  async run(trial) {
    const session = await trial.openSeeded();
    const gate = Promise.withResolvers<void>();
    trial.lab.server.script(async (request) => {
      if (!request.isCompaction) await gate.promise;
      return answered(request);
    });
    const asked = trial.lab.server.next();
    const turn = session.send('a slow one');
    // Not yet written it is queued, and then it is a turn; either is in the way.
    const early = await session.compact();
    trial.like('idle-only', ['busy_turn', 'queued_input'].includes('reason' in early ? early.reason : early.status), true);
    await asked;
    trial.like('idle-only', await session.compact(), { status: 'rejected', reason: 'busy_turn' });
    trial.like('idle-only', trial.written('compact').length, 0);
    gate.resolve();
    trial.like('idle-only', await turn.ended, 'completed');
    const results = await Promise.all([session.compact(), session.compact()]);
    trial.like('one-edge', results[0], { status: 'completed' });
    trial.like('one-at-a-time', results[1], { status: 'rejected', reason: 'busy_compaction' });
    for (let again = 0; again < 3; again += 1) {
      await trial.subject.seed(session);
      trial.like('one-edge', await session.compact(), { status: 'completed' });
    }
  },
};

const inputs: ConformanceCase = {
  title: 'inputs before, during and behind a compaction: in order, each a turn of its own, one taken back in time',
  requirements: ['held-in-order', 'no-input-inside', 'own-turn', 'no-native-queue'],
  async run(trial) {
    const session = await trial.openSeeded();
    const held = trial.holdSummaries();
    const pending = session.compact();
    const [one, two, three] = [session.send('input one'), session.send('input two'), session.send('input three')];
    await held.asked;
    trial.like('no-input-inside', inputsBehindCommand(trial), 0);
    trial.like('held-in-order', two.withdraw(), true);
    held.release();
    trial.like('held-in-order', await pending, { status: 'completed' });
    trial.like('held-in-order', await Promise.all([one.ended, two.ended, three.ended]), [
      'completed',
      'undelivered',
      'completed',
    ]);
    trial.like('held-in-order', one.withdraw(), false);
    const prompts = trial.lab.server.requests.flatMap(({ isCompaction, messages }) =>
      isCompaction ? [] : [JSON.stringify(messages.at(-1))],
    );
    trial.like('no-native-queue', prompts.map((text) => /input (\w+)/.exec(text)?.[1]).filter(Boolean), ['one', 'three']);
    const ended = (await recordsSoFar(session)).filter((item) => item.type === 'turn_ended' && item.kind === 'prompt');
    trial.like('own-turn', ended.length, prompts.length);
  },
};

const atDispatch: ConformanceCase = {
  title: 'a cancel right at the dispatch cancels natively, and the next input is unharmed',
  requirements: ['cancel-with-target', 'agrees-with-disk'],
  async run(trial) {
    const session = await trial.openSeeded();
    const before = trial.replacements(session);
    trial.lab.server.script((request) => (request.isCompaction ? { hang: true } : answered(request)));
    let cancelled: Promise<void> | undefined;
    session.on('record', (item) => {
      if (item.type === 'compaction_dispatched') cancelled ??= session.abort();
    });
    const result = await session.compact();
    await cancelled;
    trial.like('cancel-with-target', result, { status: 'aborted', by: 'caller', context: 'unchanged' });
    trial.like('agrees-with-disk', trial.replacements(session) - before, 0);
    trial.lab.server.script(answered);
    await say(session, 'the next one');
  },
};

const inFlight: ConformanceCase = {
  title: 'cancelled while the provider is being asked, it is aborted by the caller',
  requirements: ['cancel-is-aborted'],
  async run(trial) {
    const session = await trial.openSeeded();
    const held = trial.holdSummaries();
    const pending = session.compact();
    await held.asked;
    await session.abort();
    trial.like('cancel-is-aborted', await pending, { status: 'aborted', by: 'caller', context: 'unchanged' });
  },
};

const turnAborted: ConformanceCase = {
  title: 'abort() ends a running turn, does nothing to an idle session, and a compaction follows',
  requirements: ['cancel-turn', 'cancel-nothing', 'last-outcome'],
  async run(trial) {
    const session = await trial.openSeeded();
    const written = trial.outgoing;
    await session.abort();
    trial.like('cancel-nothing', trial.outgoing, written);
    trial.lab.server.script(() => ({ hang: true }));
    const asked = trial.lab.server.next();
    const input = session.send('hangs');
    await asked;
    await session.abort();
    trial.like('cancel-turn', await input.ended, 'aborted');
    trial.lab.server.script(answered);
    trial.like('cancel-turn', await session.compact(), { status: 'completed' });
    trial.like('last-outcome', session.status(), { state: 'idle', lastOutcome: 'aborted' });
  },
};

const beforeDispatch: ConformanceCase = {
  title: 'abort() and dispose() while the gate is asking reject at once, and held inputs are let go',
  requirements: ['before-dispatch', 'held-at-end', 'told-in-order'],
  exempts: (subject) => (subject.hasGateRead ? undefined : 'Its gate asks nothing.'),
  async run(trial) {
    const session = await trial.openSeeded();
    const pending = session.compact();
    const held = session.send('goes on');
    await session.abort();
    trial.like('before-dispatch', await pending, { status: 'rejected', reason: 'aborted' });
    trial.like(
      'told-in-order',
      (await recordsSoFar(session)).find(({ type }) => type === 'compaction_rejected'),
      {
        reason: 'aborted',
      },
    );
    trial.like('held-at-end', await held.ended, 'completed');
    const second = session.compact();
    const lost = session.send('never leaves');
    const gone = session.dispose();
    trial.like('before-dispatch', await second, { status: 'rejected', reason: 'closed' });
    trial.like('held-at-end', await lost.ended, 'undelivered');
    await gone;
    trial.like('before-dispatch', trial.written('compact').length, 0);
  },
};

/** Not every vendor tells who asked. */
const isNotOurs = (origin: unknown) => origin === 'foreign' || origin === 'automatic';

const foreign: ConformanceCase = {
  title: 'a compaction that somebody else asked for is not told as ours, refuses ours, and settles nothing',
  requirements: ['not-another-s-end', 'one-at-a-time'],
  exempts: (subject) => needsProcess(subject) ?? (subject.foreign ? undefined : 'Nobody else can ask.'),
  async run(trial) {
    const { session, proxy } = await trial.openProxied();
    const held = trial.holdSummaries();
    proxy.inject(trial.subject.foreign?.(session) ?? {});
    await recordOf(session, 'compaction_started');
    await held.asked;
    trial.like('one-at-a-time', await session.compact(), { status: 'rejected', reason: 'busy_compaction' });
    held.release();
    const end = await recordOf(session, 'compaction_ended');
    trial.like('not-another-s-end', end, { origin: isNotOurs, outcome: 'completed', requestId: undefined });
  },
};

const gap: ConformanceCase = {
  title: 'a compaction of somebody else in the gap before ours does not complete ours',
  requirements: ['gap', 'not-another-s-end'],
  exempts: (subject) => foreign.exempts?.(subject) ?? subject.looksAlike,
  async run(trial) {
    const { session, proxy } = await trial.openProxied();
    let summaries = 0;
    trial.lab.server.script((request) => {
      if (request.isCompaction) summaries += 1;
      return request.isCompaction && summaries > 1 ? { status: 400, message: 'not twice' } : answered(request);
    });
    proxy.injectBeforeCommand(trial.subject.foreign?.(session) ?? {});
    const result = await session.compact({ timeoutMs: 10_000 });
    trial.holds('not-another-s-end', result.status !== 'completed', 'the only summary was the answer to somebody else');
    trial.like('gap', trial.written('compact').length, 1);
  },
};

export const operationCases: readonly ConformanceCase[] = [
  busyTurn,
  inputs,
  atDispatch,
  inFlight,
  turnAborted,
  beforeDispatch,
  foreign,
  gap,
];
