import { type CompactionResult, compactAll, compactionResultSchema, isNativeCompactionError } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { recordsSoFar, say } from '../following.ts';
import { answered } from '../trial.ts';
import { shown } from '../violation.ts';

/** The code of the error an attempt rejects or throws with, or what it gave instead. */
export async function codeOf(attempt: () => unknown): Promise<unknown> {
  try {
    return await attempt();
  } catch (error) {
    return isNativeCompactionError(error) ? error.code : error;
  }
}

const success: ConformanceCase = {
  title: 'a compaction that runs whole is completed, and every claim can be checked',
  requirements: [
    'one-result',
    'proof-found',
    'proof-in-frames',
    'raw-frames',
    'agrees-with-provider',
    'agrees-with-disk',
    'no-retry',
    'told-in-order',
  ],
  async run(trial) {
    const session = await trial.openSeeded();
    const before = [trial.summaries(), trial.replacements(session)];
    const result = await session.compact({ requestId: 'mine' });
    trial.like('proof-found', result, {
      status: 'completed',
      context: 'compacted',
      requestId: 'mine',
      runtime: trial.subject.runtime,
    });
    trial.holds('one-result', compactionResultSchema.safeParse(result).success, `the schema does not take ${shown(result)}`);
    const numbers = result.evidence.map(({ frame }) => frame);
    const frames = numbers.map((number) => session.frame(number));
    trial.holds('proof-in-frames', frames.every(Boolean) && numbers.length > 0, `frames ${numbers} cannot all be read`);
    trial.like(
      'raw-frames',
      frames.map((frame) => typeof frame?.native),
      frames.map(() => 'object'),
    );
    const passed = new Set(trial.lines.map(({ dir, frame }) => `${dir} ${JSON.stringify(frame)}`));
    for (const frame of frames)
      trial.holds(
        'raw-frames',
        passed.has(`${frame?.direction} ${JSON.stringify(frame?.native)}`),
        `${shown(frame)} did not pass the wire`,
      );
    const last = frames.at(-1);
    trial.like('proof-in-frames', last?.direction, 'in');
    trial.holds('agrees-with-provider', trial.summaries() > (before[0] ?? 0), 'the provider was not asked for a summary');
    trial.like('no-retry', trial.written('compact').length, 1);
    const ours = (await recordsSoFar(session)).filter((item) => 'requestId' in item && item.requestId === 'mine');
    const told = ours.map(({ type }) => type);
    for (const item of ours) if ('origin' in item) trial.like('told-in-order', item, { origin: 'manual' });
    const dispatched = ours.find((item) => item.type === 'compaction_dispatched');
    const keys = Object.values((dispatched?.type === 'compaction_dispatched' && dispatched.nativeKeys) || {});
    const command = JSON.stringify(trial.written('compact')[0]?.frame);
    trial.holds('told-in-order', keys.length > 0, 'dispatched without a key');
    trial.holds(
      'told-in-order',
      keys.every((key) => command.includes(key)),
      `${keys} are not in the command`,
    );
    trial.like(
      'told-in-order',
      ours.find(({ type }) => type === 'compaction_ended'),
      { outcome: 'completed' },
    );
    const order = ['compaction_requested', 'compaction_dispatched', 'compaction_started', 'compaction_ended'];
    trial.like(
      'told-in-order',
      told.filter((type) => order.includes(type)),
      order,
    );
    await session.dispose();
    trial.like('agrees-with-disk', trial.replacements(session) - (before[1] ?? 0), 1);
  },
};

const misuse: ConformanceCase = {
  title: 'misuse is a coded error, and reserves nothing',
  requirements: ['misuse', 'reserved-text'],
  async run(trial) {
    const session = await trial.openSeeded();
    for (const options of [
      { timeoutMs: -1 },
      { timeoutMs: 2_147_483_648 },
      { instructions: '' },
      { instructions: 'cut \ud83d' },
      { requestId: '' },
      { unknown: 1 },
      7,
    ]) {
      trial.like('misuse', await codeOf(() => session.compact(options as never)), 'invalid_options');
    }
    if (trial.capability?.instructions !== 'per-request')
      trial.like('misuse', await codeOf(() => session.compact({ instructions: 'keep it' })), 'invalid_options');
    for (const text of ['', '  ', 7, 'cut \ud83d'])
      trial.like('misuse', await codeOf(() => session.send(text as never)), 'invalid_input');
    const inputs = trial.written('input').length;
    for (const text of trial.subject.reserved ?? [])
      trial.like('reserved-text', await codeOf(() => session.send(text)), 'reserved_command');
    trial.like('reserved-text', trial.written('input').length, inputs);
    trial.like('misuse', await session.compact({ requestId: 'once' }), { status: 'completed' });
    trial.like('misuse', await codeOf(() => session.compact({ requestId: 'once' })), 'request_id_reused');
  },
};

const acknowledged: ConformanceCase = {
  title: 'what was accepted, and hangs, is not completed, however long it takes',
  requirements: ['not-acknowledged', 'no-deadline', 'end-unconfirmed', 'no-invented-end'],
  async run(trial) {
    const session = await trial.openSeeded();
    const held = trial.holdSummaries();
    let settled: CompactionResult | undefined;
    const pending = session.compact().then((result) => {
      settled = result;
      return result;
    });
    await held.asked;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setTimeout(done, 2));
    trial.holds('not-acknowledged', settled?.status !== 'completed', `${shown(settled)} while the provider had not answered`);
    trial.holds('no-deadline', settled === undefined, `${shown(settled)} without a deadline`);
    const gone = session.dispose();
    trial.like('end-unconfirmed', await pending, { status: 'unconfirmed', reason: 'disposed', started: true });
    await gone;
    const ends = (await recordsSoFar(session)).filter(({ type }) => type === 'compaction_ended');
    trial.like('no-invented-end', ends, []);
  },
};

const fails: ConformanceCase = {
  title: 'a provider that refuses is a native failure, told once; the next one completes',
  requirements: ['native-failure', 'no-retry', 'agrees-with-disk'],
  async run(trial) {
    const session = await trial.openSeeded();
    const before = trial.replacements(session);
    const texts = ['the-provider-refuses', 'completed: the context was compacted within its limit', 'aborted by the caller'];
    for (const [at, message] of texts.entries()) {
      trial.lab.server.script(() => ({ status: 400, message }));
      const result = await session.compact();
      trial.like('no-retry', trial.written('compact').length, at + 1);
      trial.like('native-failure', result, { status: 'failed', reason: 'native_failed', context: 'unchanged' });
      const end = (await recordsSoFar(session)).findLast(({ type }) => type === 'compaction_ended');
      trial.like('native-failure', end, { origin: 'manual', requestId: result.requestId, outcome: 'failed' });
      trial.like('agrees-with-disk', trial.replacements(session) - before, 0);
    }
    trial.lab.server.script(answered);
    await say(session, 'the session is well');
    trial.like('native-failure', await session.compact(), { status: 'completed' });
  },
};

const empty: ConformanceCase = {
  title: 'an empty session has nothing to compact',
  requirements: ['nothing-to-compact'],
  async run(trial) {
    const session = await trial.open();
    trial.like('nothing-to-compact', await session.compact(), {
      status: 'failed',
      hint: 'nothing_to_compact',
      context: 'unchanged',
    });
  },
};

const several: ConformanceCase = {
  title: 'several sessions, each with a result of its own',
  requirements: ['one-each'],
  async run(trial) {
    const [one, two] = [await trial.openSeeded(), await trial.openSeeded()];
    await two.dispose();
    const results = await compactAll([one, two], {}, { concurrency: 2 });
    trial.like('one-each', results, [
      { value: { status: 'completed', sessionId: one.id } },
      { value: { status: 'rejected', reason: 'closed' } },
    ]);
  },
};

export const resultCases: readonly ConformanceCase[] = [success, misuse, acknowledged, fails, empty, several];
