import type { SessionRecord } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { recordsSoFar, say, within } from '../following.ts';

const PATIENCE_MS = 3_000;

async function gather(records: AsyncIterable<SessionRecord>): Promise<SessionRecord[]> {
  const found: SessionRecord[] = [];
  for await (const item of records) found.push(item);
  return found;
}

const oneLog: ConformanceCase = {
  title: 'listeners and readers are told the same, each record once, and the log ends with the closing one',
  requirements: ['one-log', 'display-value'],
  async run(trial) {
    const session = await trial.openSeeded();
    const { cursor } = session.checkpoint();
    const heard: SessionRecord[] = [];
    const states: string[] = [];
    let closings = 0;
    session.on('record', (item) => void heard.push(item));
    const deaf: SessionRecord[] = [];
    session.on('record', (item) => void deaf.push(item))[Symbol.dispose]();
    session.on('status', ({ state }) => void states.push(state));
    session.on('closed', () => {
      closings += 1;
    });
    const behind = gather(session.records(cursor));
    await session.compact();
    trial.holds('display-value', states.includes('compacting'), `status told ${states}`);
    await session.dispose();
    trial.like('display-value', session.status().state, 'closed');
    const read = (await within(PATIENCE_MS, behind)) ?? [];
    const seqs = read.map(({ seq }) => seq);
    trial.like('one-log', read.at(-1)?.type, 'session_closed');
    trial.like(
      'one-log',
      seqs,
      seqs.map((_seq, at) => cursor.seq + 1 + at),
    );
    trial.like(
      'one-log',
      heard.map(({ seq }) => seq),
      seqs,
    );
    trial.like('one-log', await within(PATIENCE_MS, gather(session.records(cursor))), read);
    trial.like('one-log', closings, 1);
    trial.like('one-log', deaf, []);
  },
};

const shownTurn: ConformanceCase = {
  title: 'a turn can be shown from its records: what was said, what was answered, and how it ended',
  requirements: ['turn-shown'],
  async run(trial) {
    const session = await trial.openSeeded();
    const { cursor } = session.checkpoint();
    trial.lab.server.script(() => ({ text: 'an answer of its own' }));
    const input = session.send('a question of its own');
    trial.like('turn-shown', [await input.delivered, await input.ended], ['delivered', 'completed']);
    const told = (await recordsSoFar(session)).filter(({ seq }) => seq > cursor.seq);
    const ours = (type: string, more: object) =>
      trial.like(
        'turn-shown',
        told.find((item) => item.type === type && (!('inputId' in item) || item.inputId === input.id)),
        more,
      );
    ours('input_accepted', { text: 'a question of its own' });
    ours('input_written', {});
    ours('input_received', {});
    ours('turn_started', {});
    ours('assistant_text', { text: 'an answer of its own' });
    ours('turn_ended', { kind: 'prompt', outcome: 'completed' });
    ours('input_ended', { outcome: 'completed' });
    trial.lab.server.script(() => ({ status: 400, message: 'refused' }));
    trial.like('turn-shown', await session.send('a question that fails').ended, 'failed');
    const last = (await recordsSoFar(session)).findLast(({ type }) => type === 'turn_ended');
    trial.like('turn-shown', last, { kind: 'prompt', outcome: 'failed' });
    trial.lab.server.script(() => ({ text: 'fine' }));
    await say(session, 'and on');
  },
};

export const logCases: readonly ConformanceCase[] = [oneLog, shownTurn];
