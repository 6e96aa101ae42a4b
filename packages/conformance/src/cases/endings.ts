import type { CompactionResult, Session } from '@native-compaction/core';
import type { JsonObject, TapLine } from '@native-compaction/transport';
import type { ConformanceCase } from '../case.ts';
import { needsProcess } from '../case.ts';
import { isAlive, recordOf, recordsSoFar } from '../following.ts';
import { falsehoodOf, truthOf } from '../judge.ts';
import { answered, pidOf, type Trial } from '../trial.ts';

type End = 'SIGKILL' | 'SIGTERM' | 'dispose';
const stages = ['the gate read', 'the write', 'the request to the provider'] as const;

/** The end of a process at one stage of a compaction, told by what passes at that moment. */
const endsAt = (how: End, stage: (typeof stages)[number]): ConformanceCase => ({
  title: `${how} at ${stage}`,
  requirements: ['end-unconfirmed', 'no-invented-end', 'held-at-end', 'agrees-with-disk', 'no-process-left'],
  exempts: (subject) =>
    needsProcess(subject) ?? (stage === 'the gate read' && !subject.hasGateRead ? 'Its gate asks nothing.' : undefined),
  async run(trial) {
    const wanted = stage === 'the gate read' ? 'read' : 'compact';
    let end: (() => void) | undefined;
    const tap = ({ dir, frame }: TapLine) => {
      if (stage === 'the request to the provider' || dir !== 'out' || trial.subject.written(frame as JsonObject) !== wanted)
        return;
      end?.();
      end = undefined;
    };
    const session = await trial.openSeeded({}, { tap });
    const before = truthOf(trial, session);
    const pid = pidOf(trial.lines);
    trial.lab.server.script((request) => (request.isCompaction ? { hang: true } : answered(request)));
    const asked = trial.lab.server.next((request) => request.isCompaction);
    end = () => (how === 'dispose' ? void session.dispose() : void process.kill(pid, how));
    const pending = session.compact();
    const held = session.send('held behind it');
    if (stage === 'the request to the provider') await asked.then(end);
    const result = await pending;
    const why = how === 'dispose' ? 'disposed' : 'process_exit';
    const isEarly = stage === 'the gate read';
    if (isEarly && how === 'dispose') trial.like('end-unconfirmed', result, { status: 'rejected', reason: 'closed' });
    // A signal may come later than the answer to the read, and a vendor that is asked to end may answer the command first.
    else if (isEarly)
      trial.like('end-unconfirmed', result, {
        status: (status: unknown) => status === 'rejected' || status === 'unconfirmed',
        reason: (reason: unknown) => reason === 'closed' || reason === why || (how === 'SIGTERM' && reason === 'no_evidence'),
      });
    // A vendor that is asked to end may still speak of it; that is no evidence, and it may let go of the slot.
    else
      trial.like('end-unconfirmed', result, {
        status: 'unconfirmed',
        reason: (reason: unknown) => reason === why || how === 'SIGTERM',
        started: (started: unknown) => how === 'SIGTERM' || started === (stage === 'the request to the provider'),
      });
    trial.like('held-at-end', await held.ended, (outcome: unknown) => outcome === 'undelivered' || how === 'SIGTERM');
    await session.dispose();
    const told = await recordsSoFar(session);
    trial.like(
      'no-invented-end',
      told.filter((item) => item.type === 'compaction_ended' && item.outcome !== 'unknown'),
      [],
    );
    trial.like('no-invented-end', told.at(-1)?.type, 'session_closed');
    const falsehood = falsehoodOf(result, before, truthOf(trial, session));
    trial.holds('agrees-with-disk', falsehood === undefined, falsehood ?? '');
    trial.holds('no-process-left', !isAlive(pid), `process ${pid} is still there`);
  },
});

const afterTheEnd: ConformanceCase = {
  title: 'a session whose process died says so: no compaction, no input, one closing record; a resumed one goes on',
  requirements: ['unfinished-input', 'before-dispatch', 'held-at-end', 'no-invented-end', 'exit-told', 'proof-found'],
  exempts: needsProcess,
  async run(trial) {
    const session = await trial.openSeeded();
    trial.lab.server.script(() => ({ hang: true }));
    const asked = trial.lab.server.next();
    const input = session.send('hangs');
    const held = session.send('held behind it');
    await asked;
    const closed = recordOf(session, 'session_closed');
    process.kill(pidOf(trial.lines), 'SIGKILL');
    trial.like('unfinished-input', [await input.delivered, await input.ended], ['delivered', 'unconfirmed']);
    trial.like('held-at-end', [await held.delivered, await held.ended], ['undelivered', 'undelivered']);
    trial.like('no-invented-end', await closed, { why: 'process_exit' });
    trial.like(
      'exit-told',
      (await recordsSoFar(session)).filter(({ type }) => type === 'process_exited'),
      [{}],
    );
    trial.like('before-dispatch', await session.compact(), { status: 'rejected', reason: 'closed' });
    trial.like('held-at-end', await session.send('too late').ended, 'undelivered');
    await session.dispose();
    trial.lab.server.script(answered);
    const again = await trial.openSeeded({ ...optionalResume(session) });
    trial.like('proof-found', await again.compact(), { status: 'completed' });
  },
};

function optionalResume({ nativeId }: Session): { resume?: string } {
  return nativeId === undefined ? {} : { resume: nativeId };
}

/** The links of a whole proof, and how many frames of the vendor came from the command to the last of them. */
async function wholeProof(trial: Trial): Promise<{ readonly frames: number; readonly links: string }> {
  const session = await trial.openSeeded();
  const result = await session.compact();
  await session.dispose();
  const numbers = result.evidence.map(({ frame }) => frame);
  let frames = 0;
  for (let at = (numbers[0] ?? 0) + 1; at <= (numbers.at(-1) ?? 0); at += 1)
    if (session.frame(at)?.direction === 'in') frames += 1;
  return { frames, links: linksOf(result) };
}

const linksOf = ({ evidence }: CompactionResult) => evidence.map(({ kind }) => kind).join(' ');

const cutBehindEach: ConformanceCase = {
  title: 'the output cut behind each frame: nothing less than the whole proof completes',
  requirements: ['proof-found', 'not-acknowledged', 'end-unconfirmed', 'agrees-with-disk'],
  exempts: needsProcess,
  async run(trial) {
    const whole = await wholeProof(trial);
    trial.holds('proof-found', whole.frames > 0, 'a compaction without frames');
    const cutBehind = async (kept: number) => {
      const { session } = await trial.openProxied([[{ kind: 'kill', frame: kept + 1, value: 0 }]]);
      const before = trial.replacements(session);
      const result = await session.compact();
      // A frame of something else may have come between this time, or not: the links count, and not the frames.
      const isProven = result.status !== 'completed' || linksOf(result) === whole.links;
      trial.holds('not-acknowledged', isProven, `completed by ${linksOf(result)}`);
      if (result.status !== 'completed') trial.like('end-unconfirmed', result, { status: 'unconfirmed', reason: 'process_exit' });
      await session.dispose();
      trial.holds('agrees-with-disk', trial.replacements(session) >= before, 'a replacement was taken back');
    };
    for (let kept = 0; kept < whole.frames; kept += 3)
      await Promise.all([kept, kept + 1, kept + 2].filter((at) => at < whole.frames).map(cutBehind));
  },
};

export const endingCases: readonly ConformanceCase[] = [
  ...(['SIGKILL', 'SIGTERM', 'dispose'] as const).flatMap((how) => stages.map((stage) => endsAt(how, stage))),
  afterTheEnd,
  cutBehindEach,
];
