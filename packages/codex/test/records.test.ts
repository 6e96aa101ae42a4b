import type { EntryBody, RecordDraft, Ref } from '@native-compaction/core';
import { type JsonObject, object, Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import type { CodexIn, CodexOut } from '../src/frames.ts';
import { codexMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { OPEN_IDS } from '../src/state.ts';
import { native } from './support/native.ts';
import { OURS, play } from './support/play.ts';

const [hello, opened] = native.opening() as [JsonObject, JsonObject];
const THREAD = String(object(object(opened.result)?.thread)?.id);
const own = { origin: 'manual', requestId: OURS, nativeKeys: { turnId: 'T' } };
const [accepted, started] = [native.result(OURS), native.turnStarted('T')];
const items = [native.item('item/started', 'T', 'I'), native.item('item/completed', 'T', 'I')];
const notice = (method: string, params: JsonObject) => ({ method, params: { threadId: THREAD, ...params } });
const usage = (turnId: string, total: number) =>
  notice('thread/tokenUsage/updated', {
    turnId,
    tokenUsage: { last: { totalTokens: 9, inputTokens: 5, outputTokens: 4 }, total: { totalTokens: total } },
  });
/** What is recorded behind the dispatch of ours. */
const recorded = (...frames: JsonObject[]) => play(frames).records.slice(3);
/** An open thread, stepped with entries; what each step recorded, wrote and answered. */
function open(...entries: (JsonObject | Unparsed | EntryBody<CodexIn, CodexOut>)[]) {
  let n = 0;
  let { state } = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions });
  const records: RecordDraft[] = [];
  const answered: string[] = [];
  const writes: { frame: JsonObject; ref: Ref }[] = [];
  for (const entry of entries) {
    n += 1;
    const body = ('dir' in entry ? entry : { dir: 'in', frame: entry }) as EntryBody<CodexIn, CodexOut>;
    const step = codexMachine.step(state, { n, atMs: n, ...body });
    state = step.state;
    records.push(...step.records);
    answered.push(...(step.answered ?? []));
    writes.push(...(step.writes ?? []));
  }
  return { state, records, answered, writes, busy: codexMachine.busy(state) };
}
const wrote = (kind: Ref['kind'], id: string): EntryBody<CodexIn, CodexOut> => ({ dir: 'out', frame: {}, ref: { kind, id } });

describe('T7 what is recorded of a compaction', () => {
  test('each step of one that is completed, in its order', () => {
    const { records } = play([accepted, started, ...items, native.turnCompleted('T', 'completed')], [native.usage('P', 50)]);
    expect(records).toEqual([
      { type: 'session_opened', nativeId: THREAD, vendorVersion: '0.171.0' },
      { type: 'idle' },
      { type: 'compaction_dispatched', requestId: OURS, nativeKeys: { requestId: OURS } },
      { type: 'turn_started', turnId: 'T' },
      { type: 'compaction_started', ...own },
      { type: 'compaction_progress', ...own, detail: 'compacting' },
      { type: 'compaction_progress', ...own, detail: 'boundary' },
      { type: 'compaction_ended', ...own, outcome: 'completed', tokens: { before: 50, estimated: true } },
      { type: 'turn_ended', turnId: 'T', outcome: 'completed', kind: 'compaction' },
      { type: 'idle' },
    ]);
  });

  test('of one that failed, was cut short or left no proof', () => {
    const failed = native.turnCompleted('T', 'failed', { message: 'no', codexErrorInfo: 'other' });
    expect(recorded(accepted, started, failed).slice(2)).toEqual([
      { type: 'compaction_ended', ...own, outcome: 'failed', hint: 'provider_error', message: 'no' },
      { type: 'turn_ended', turnId: 'T', outcome: 'failed', kind: 'compaction' },
      { type: 'idle' },
    ]);
    expect(recorded(accepted, started, native.turnCompleted('T', 'interrupted')).slice(2)).toEqual([
      { type: 'compaction_ended', ...own, outcome: 'aborted' },
      { type: 'turn_ended', turnId: 'T', outcome: 'aborted', kind: 'compaction' },
      { type: 'idle' },
    ]);
    expect(recorded(accepted, started, native.turnCompleted('T', 'completed')).slice(2)).toEqual([
      { type: 'compaction_ended', ...own, outcome: 'unknown' },
      { type: 'turn_ended', turnId: 'T', outcome: 'completed', kind: 'compaction' },
      { type: 'idle' },
    ]);
    expect(recorded(native.error(OURS, 'no'))).toEqual([
      { type: 'compaction_rejected', requestId: OURS, reason: 'native_refused' },
    ]);
  });

  test('a retry of the provider in our turn, and none in another', () => {
    const retry = (turnId: string, willRetry = true) => notice('error', { turnId, willRetry, error: {} });
    expect(recorded(accepted, started, retry('T')).slice(2)).toEqual([{ type: 'compaction_progress', ...own, detail: 'retry' }]);
    expect(recorded(accepted, started, retry('G'), retry('T', false)).slice(2)).toEqual([]);
    expect(open(hello, opened, retry('T')).records.slice(2)).toEqual([]);
  });

  test('the request names the turn before it, and so does the command', () => {
    const ask = { dir: 'host', ask: 'compact', requestId: 'r', operationId: OURS } as const;
    const turn = [native.turnStarted('P'), native.turnCompleted('P', 'completed')];
    expect(open(hello, opened, ...turn, ask, wrote('compact', OURS)).records.slice(-2)).toEqual([
      { type: 'compaction_requested', requestId: 'r', position: 'P' },
      { type: 'compaction_dispatched', requestId: 'r', nativeKeys: { requestId: OURS }, position: 'P' },
    ]);
    const withdrawn = open(hello, opened, ask, { dir: 'host', ask: 'withdraw', requestId: 'r', reason: 'aborted' });
    expect(withdrawn.records.slice(2)).toEqual([
      { type: 'compaction_requested', requestId: 'r' },
      { type: 'compaction_rejected', requestId: 'r', reason: 'aborted' },
    ]);
    expect(open(hello, opened, { dir: 'host', ask: 'abort' }).records).toHaveLength(2);
  });
});

describe('R6 a compaction that is not ours', () => {
  const automatic = { origin: 'automatic', nativeKeys: { turnId: 'P', itemId: 'A' } };
  const [begun, done] = [native.item('item/started', 'P', 'A'), native.item('item/completed', 'P', 'A')];
  const running = [hello, opened, native.turnStarted('P'), begun];

  test('is told of as automatic, and is in the way while it runs', () => {
    expect(open(...running).busy).toBe('busy_compaction');
    const over = open(...running, done);
    expect(over.busy).toBe('busy_turn');
    expect(over.records.slice(3)).toEqual([
      { type: 'compaction_started', ...automatic },
      { type: 'compaction_ended', ...automatic, outcome: 'completed' },
    ]);
  });

  test.each([
    ['failed', 'failed', 'failed'],
    ['completed', 'unknown', 'completed'],
  ])('ends with its turn, which %s', (status, outcome, turn) => {
    const over = open(...running, native.turnCompleted('P', status, { message: 'no' }));
    expect(over.busy).toBeUndefined();
    expect(over.records.slice(4)).toEqual([
      { type: 'compaction_ended', origin: 'automatic', outcome },
      { type: 'turn_ended', turnId: 'P', outcome: turn, kind: 'prompt', ...(status === 'failed' ? { message: 'no' } : {}) },
      { type: 'idle' },
    ]);
    expect(open(...running, native.turnCompleted('OTHER', status)).busy).toBe('busy_compaction');
  });

  test('in a child agent it is told of as a task', () => {
    const child = (frame: JsonObject) => ({ ...frame, params: { ...object(frame.params), threadId: 'child' } });
    const said = {
      ...object(native.item('item/completed', 'C', 'M').params),
      item: { type: 'agentMessage', id: 'M', text: 'hi' },
    };
    const frames = [
      native.turnStarted('C'),
      ...items,
      native.goal('active'),
      notice('item/completed', said),
      notice('item/agentMessage/delta', { itemId: 'M', delta: 'h' }),
      ...['completed', 'interrupted', 'failed'].map((status) => native.turnCompleted('C', status)),
    ];
    const { records, busy } = open(hello, opened, ...frames.map(child));
    expect(busy).toBeUndefined();
    expect(records.slice(2)).toEqual([
      { type: 'task_started', taskId: 'child' },
      { type: 'assistant_text', taskId: 'child', messageId: 'M', text: 'hi' },
      { type: 'assistant_delta', taskId: 'child', messageId: 'M', text: 'h' },
      ...['completed', 'aborted', 'failed'].map((outcome) => ({ type: 'task_ended', taskId: 'child', outcome })),
    ]);
  });
});

describe('T7 what is recorded of turns', () => {
  test('our input, from its write to its end, with what its turn used', () => {
    const turn = [native.result('in', { turn: { id: 'P' } }), native.turnStarted('P'), usage('P', 9), usage('P', 18)];
    const { records, busy } = open(hello, opened, wrote('input', 'in'), ...turn, native.turnCompleted('P', 'completed'));
    expect(busy).toBeUndefined();
    expect(records.slice(2)).toEqual([
      { type: 'input_written', inputId: 'in' },
      { type: 'input_received', inputId: 'in' },
      { type: 'turn_started', turnId: 'P', inputIds: ['in'] },
      { type: 'turn_ended', turnId: 'P', outcome: 'completed', kind: 'prompt', usage: { inputTokens: 10, outputTokens: 8 } },
      { type: 'input_ended', inputId: 'in', outcome: 'completed' },
      { type: 'idle' },
    ]);
  });

  test('a turn of somebody else has no input of ours, nor the figures of another turn', () => {
    const turn = [native.turnStarted('G'), native.turnStarted('G'), usage('P', 9), native.turnCompleted('G', 'interrupted')];
    expect(open(hello, opened, ...turn).records.slice(2)).toEqual([
      { type: 'turn_started', turnId: 'G' },
      { type: 'turn_ended', turnId: 'G', outcome: 'aborted', kind: 'prompt' },
      { type: 'idle' },
    ]);
  });

  test('S5 the end of another turn ends neither our input nor the turn that runs', () => {
    const frames = [native.result('in', { turn: { id: 'P' } }), native.turnStarted('P'), native.turnCompleted('G', 'completed')];
    const { records, busy } = open(hello, opened, wrote('input', 'in'), ...frames);
    expect(busy).toBe('busy_turn');
    expect(records.at(-1)).toEqual({ type: 'turn_ended', turnId: 'G', outcome: 'completed', kind: 'prompt' });
  });

  test('pieces of our own text, and what nobody knows as it came', () => {
    const odd = notice('thread/odd', {});
    expect(open(hello, opened, notice('item/agentMessage/delta', { itemId: 'M', delta: 'h' }), odd).records.slice(2)).toEqual([
      { type: 'assistant_delta', messageId: 'M', text: 'h' },
      { type: 'raw', frame: 4, native: odd },
    ]);
    expect(open(hello, opened, new Unparsed('noise', 'hm', 2)).records.slice(2)).toHaveLength(1);
  });
});

describe('T7 the opening, and answers to what we asked', () => {
  test('it says who it is, opens the thread, and answers for each', () => {
    const { writes, answered } = open(hello, opened);
    expect(writes.map(({ frame, ref }) => [frame.method, ref])).toEqual([
      ['initialized', { kind: 'open', id: `${OPEN_IDS.initialize}d` }],
      ['thread/start', { kind: 'open', id: OPEN_IDS.thread }],
    ]);
    expect(answered).toEqual([OPEN_IDS.initialize, OPEN_IDS.thread]);
    expect(open(hello).busy).toBe('not_ready');
    expect(open({ ...hello, result: { userAgent: 'odd' } }, opened).records[0]).toEqual({
      type: 'session_opened',
      nativeId: THREAD,
    });
    expect(open({ ...hello, result: {} }, { id: OPEN_IDS.thread, result: {} }).records[0]).toEqual({
      type: 'session_opened',
      nativeId: '',
    });
    expect(open(hello, opened, { dir: 'end', why: 'process_exit' })).toMatchObject({ busy: 'closed', records: [{}, {}] });
    const { writes: first } = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi: false, testedVersions });
    expect(first).toMatchObject([{ frame: { method: 'initialize' }, ref: { kind: 'open', id: OPEN_IDS.initialize } }]);
    expect(codexMachine.trail(open(hello, opened).state)).toEqual({ started: false, evidence: [] });
  });

  test('a thread that is at work is running from the beginning, until its turn ends', () => {
    const active = { id: OPEN_IDS.thread, result: { thread: { id: THREAD, status: { type: 'active' } } } };
    const { busy, records } = open(hello, active);
    expect([busy, records.at(-1)]).toEqual(['busy_turn', { type: 'turn_started' }]);
    expect(open(hello, active, native.turnCompleted('P', 'completed')).busy).toBeUndefined();
    expect(open(hello, active, native.turnStarted('P'), native.turnCompleted('G', 'completed')).busy).toBe('busy_turn');
  });

  test.each([
    ['the first answer', [native.error(OPEN_IDS.initialize, 'no')]],
    ['the second answer', [hello, native.error(OPEN_IDS.thread, 'no')]],
  ])('%s that is an error refuses the session', (_what, frames) => {
    const { records, busy, answered } = open(...frames);
    expect(records).toEqual([{ type: 'session_refused', message: 'no' }]);
    expect(busy).toBe('not_ready');
    expect(answered).toHaveLength(frames.length);
  });

  test('C5 a cancel is answered once, a read each time, and nothing by an id that nobody knows', () => {
    const read = 'native-compaction-goal-9';
    const asked = [wrote('cancel', 'c'), wrote('read', read)];
    const answers = ['c', 'c', read, 'unknown', OPEN_IDS.thread].map((id) => native.result(id));
    const { answered, records } = open(hello, opened, ...asked, ...answers);
    expect(answered.slice(2)).toEqual(['c', read]);
    expect(records).toHaveLength(2);
  });
});
