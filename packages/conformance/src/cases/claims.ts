import { type CompactionResult, compactionResultSchema, type Session } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { within } from '../following.ts';
import { answered, type Trial } from '../trial.ts';
import { shown } from '../violation.ts';

/** How long a result may come after what it is the answer to. */
const AT_ONCE_MS = 3_000;

/** What every result owes, whatever its status. */
function isWhole(trial: Trial, session: Session, requestId: string, askedAtMs: number, result: CompactionResult): void {
  trial.holds('one-result', compactionResultSchema.safeParse(result).success, `the schema does not take ${shown(result)}`);
  trial.like('own-envelope', result, {
    requestId,
    sessionId: session.id,
    runtime: trial.subject.runtime,
    vendorVersion: session.vendorVersion,
  });
  const { dispatchedAtMs, settledAtMs, evidence } = result;
  const summary = JSON.stringify(('summary' in result && result.summary) || '').slice(1, -1);
  trial.holds('own-envelope', JSON.stringify(trial.lines).includes(summary), `nobody gave the summary ${summary}`);
  if (result.status === 'rejected') trial.like('own-envelope', dispatchedAtMs, undefined);
  else {
    const times = [askedAtMs, dispatchedAtMs ?? 0, settledAtMs ?? Date.now(), Date.now()];
    trial.like(
      'own-envelope',
      times.toSorted((one, other) => one - other),
      times,
    );
  }
  for (const { frame: number } of evidence) trial.like('proof-in-frames', session.frame(number), { number });
  const native = evidence.map(({ frame: number }) => JSON.stringify(session.frame(number)?.native)).join();
  const strange = evidence.flatMap(({ ids }) => Object.values(ids)).filter((id) => !native.includes(id));
  trial.holds('proof-in-frames', strange.length === 0, `${strange} is in no frame of the evidence`);
}

const envelope: ConformanceCase = {
  title: 'a result of any status has the ids, the times and the frames that are its own',
  requirements: ['one-result', 'own-envelope', 'proof-in-frames'],
  async run(trial) {
    const session = await trial.openSeeded();
    const check = async (requestId: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}) => {
      const askedAtMs = Date.now();
      const result = await session.compact({ requestId, ...options });
      isWhole(trial, session, requestId, askedAtMs, result);
      return result.status;
    };
    const statuses = [await check('one', { signal: AbortSignal.abort() })];
    trial.lab.server.script(() => ({ status: 400, message: 'no' }));
    statuses.push(await check('two'));
    trial.lab.server.script(answered);
    statuses.push(await check('three'));
    await trial.subject.seed(session);
    const held = trial.holdSummaries();
    const cancelled = check('four');
    await held.asked;
    await session.abort();
    await cancelled;
    held.release();
    await trial.subject.seed(session);
    statuses.push(await check('five', { timeoutMs: 0 }));
    trial.like('one-result', statuses, ['rejected', 'failed', 'completed', 'unconfirmed']);
  },
};

const atOnce: ConformanceCase = {
  title: 'a result comes as soon as its end is told, or its deadline is over',
  requirements: ['at-once', 'zero-timeout'],
  async run(trial) {
    const session = await trial.openSeeded();
    const told = (type: string) =>
      new Promise<void>((done) => void session.on('record', (item) => void (item.type === type && done())));
    const ended = told('compaction_ended');
    const whole = session.compact();
    await ended;
    trial.like('at-once', await within(AT_ONCE_MS, whole), { status: 'completed' });
    await trial.subject.seed(session);
    const held = trial.holdSummaries();
    const dispatched = told('compaction_dispatched');
    const waiting = session.compact({ timeoutMs: 0 });
    await dispatched;
    trial.like('zero-timeout', await within(AT_ONCE_MS, waiting), { status: 'unconfirmed', reason: 'timeout' });
    held.release();
  },
};

export const claimCases: readonly ConformanceCase[] = [envelope, atOnce];
