import { initialView, reduceView, sessionRecordSchema } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { recordOf, recordsSoFar, say } from '../following.ts';
import { shown } from '../violation.ts';
import { codeOf } from './results.ts';

const fold: ConformanceCase = {
  title: 'every record is known to the schema, and a prefix, its checkpoint and the rest fold to the whole',
  requirements: ['pure-fold'],
  async run(trial) {
    const session = await trial.openSeeded();
    await session.compact();
    const { cursor, view } = session.checkpoint();
    await session.dispose();
    const all = await recordsSoFar(session);
    for (const item of all)
      trial.holds('pure-fold', sessionRecordSchema.safeParse(item).success, `the schema does not take ${shown(item)}`);
    const kept = all.filter(({ seq }) => seq <= cursor.seq);
    const end = kept.find((item) => item.type === 'compaction_ended');
    trial.holds('pure-fold', end !== undefined, `the checkpoint stands at ${cursor.seq}, before the compaction ended`);
    trial.like('pure-fold', JSON.parse(JSON.stringify(view)), JSON.parse(JSON.stringify(kept.reduce(reduceView, initialView))));
    const whole = JSON.stringify(all.reduce(reduceView, initialView));
    for (let cut = 0; cut <= all.length; cut += 1) {
      const kept = JSON.parse(JSON.stringify(all.slice(0, cut).reduce(reduceView, initialView))) as typeof initialView;
      trial.holds(
        'pure-fold',
        JSON.stringify(all.slice(cut).reduce(reduceView, kept)) === whole,
        `cut behind record ${cut} it differs`,
      );
    }
  },
};

const checkpoint: ConformanceCase = {
  title: 'a checkpoint resumes its session and compacts; a corrupt, a foreign and a contradicted one are errors',
  requirements: ['whole-checkpoint'],
  async run(trial) {
    const session = await trial.openSeeded();
    const kept = JSON.parse(JSON.stringify(session.checkpoint())) as ReturnType<typeof session.checkpoint>;
    await session.dispose();
    const attempt = (value: unknown) => codeOf(() => trial.open({ checkpoint: value }));
    trial.like('whole-checkpoint', await attempt({ ...kept, view: 7 }), 'corrupt_checkpoint');
    trial.like('whole-checkpoint', await attempt({ ...kept, runtime: 'another' }), 'foreign_checkpoint');
    const again = await trial.open({ checkpoint: kept });
    trial.like('whole-checkpoint', again.nativeId, session.nativeId);
    trial.like('whole-checkpoint', (await recordsSoFar(again))[0], { type: 'log_opened', follows: kept.cursor });
    trial.like('whole-checkpoint', await again.compact(), { status: 'completed' });
    trial.like(
      'whole-checkpoint',
      await codeOf(() => again.records(kept.cursor)[Symbol.asyncIterator]().next()),
      'foreign_cursor',
    );
  },
};

const requiredReader: ConformanceCase = {
  title: 'a reader that awaits compact() inside its own required loop finishes',
  requirements: ['required-reader'],
  async run(trial) {
    const session = await trial.openSeeded();
    let status: string | undefined;
    const input = session.send('one more');
    for await (const item of session.records(undefined, { required: true })) {
      if (item.type !== 'input_ended' || item.inputId !== input.id) continue;
      status = (await session.compact()).status;
      break;
    }
    trial.like('required-reader', status, 'completed');
  },
};

const automatic: ConformanceCase = {
  title: 'a compaction that the vendor starts by itself is told as automatic; ours is another one',
  requirements: ['not-automatic', 'proof-found', 'agrees-with-disk'],
  automatic: true,
  exempts: ({ automatic: figures }) => (figures ? undefined : 'Nothing here makes the vendor compact by itself.'),
  async run(trial) {
    const { server } = trial.lab;
    const session = await trial.openSeeded();
    server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'much', usage: trial.subject.automatic ?? {} }));
    await say(session, 'fills the context');
    server.script((request) => ({ text: request.isCompaction ? '<summary>SUMMARY</summary>' : 'fine' }));
    await session.send('goes over the edge').ended;
    const theirs = await recordOf(session, 'compaction_ended');
    trial.like('not-automatic', theirs, { origin: 'automatic', requestId: undefined });
    trial.like('not-automatic', session.status().compaction, undefined);
    const before = trial.replacements(session);
    await trial.subject.seed(session);
    trial.like('proof-found', await session.compact({ requestId: 'ours' }), { status: 'completed' });
    trial.like('not-automatic', await recordOf(session, 'compaction_ended', (item) => item.requestId === 'ours'), {
      origin: 'manual',
    });
    await session.dispose();
    trial.like('agrees-with-disk', trial.replacements(session) - before, 1);
  },
};

export const recordCases: readonly ConformanceCase[] = [fold, checkpoint, requiredReader, automatic];
