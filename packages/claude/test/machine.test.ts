import type { EntryBody, Ref } from '@native-compaction/core';
import { type JsonObject, Unparsed } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import { stepMachine } from '../../../test/support/step-machine.ts';
import { isBuiltinCompact } from '../src/catalog.ts';
import type { ClaudeIn, ClaudeOut } from '../src/frames.ts';
import { claudeMachine } from '../src/machine.ts';
import { type ClaudeFacts, OPEN_ID } from '../src/state.ts';
import { native } from './support/native.ts';

type Body = EntryBody<ClaudeIn, ClaudeOut>;
const U = 'uuid-ours';
const SESSION = native.status().session_id;
const wrote = (kind: Ref['kind'], id: string, frame: JsonObject = {}): Body => ({ dir: 'out', frame, ref: { kind, id } });
const ask: Body = { dir: 'host', ask: 'compact', requestId: 'r', operationId: U };
const compact = wrote('compact', U);
const input = wrote('input', 'in');
const own = { origin: 'manual', requestId: 'r', nativeKeys: { command_uuid: U } };
const automatic = { origin: 'automatic' };
const keepAlive = { type: 'keep_alive' };

const step = (entries: readonly (JsonObject | Unparsed | Body)[], facts: Partial<ClaudeFacts> = {}) =>
  stepMachine(claudeMachine, { prompt: {}, testedVersions: ['2.1.332'], ...facts }, entries);
/** Behind the opening of a session whose id is known. */
const play = (...entries: (JsonObject | Unparsed | Body)[]) => {
  const played = step([native.opened(OPEN_ID), ...entries], { nativeId: String(SESSION) });
  return { ...played, records: played.records.slice(2) };
};
const proof = [
  native.lifecycle(U, 'started'),
  native.compacting(),
  native.compacted('success'),
  native.init(U),
  native.boundary('manual'),
];

test.each<[unknown, boolean]>([
  [[{ name: 'compact', builtin: true }], true],
  [[{ name: 'other' }, { name: 'compact', builtin: true }, null], true],
  [[{ name: 'compact', builtin: true }, { name: 'compact' }], false],
  [[{ name: 'compact', builtin: 'true' }], false],
  [[{ name: 'compact' }], false],
  [[], false],
  [{ name: 'compact', builtin: true }, false],
  [undefined, false],
])('G2 the catalogue %o', (commands, isBuiltin) => {
  expect(isBuiltinCompact(commands)).toBe(isBuiltin);
});

describe('T7 the opening', () => {
  test('says which session and version it is, once', () => {
    const { writes } = claudeMachine.init({ prompt: {}, testedVersions: [] });
    expect(writes).toMatchObject([{ frame: { request_id: OPEN_ID }, ref: { kind: 'open', id: OPEN_ID } }]);
    const { records, answered } = step([native.opened(OPEN_ID), native.opened(OPEN_ID)], { nativeId: 'mine' });
    expect(records).toEqual([{ type: 'session_opened', nativeId: 'mine', vendorVersion: '2.1.332' }, { type: 'idle' }]);
    expect(answered).toEqual([OPEN_ID]);
    expect(step([]).busy).toBe('not_ready');
    expect(play({ dir: 'end', why: 'disposed' }).busy).toBe('closed');
  });

  test('an error refuses the session, with its words', () => {
    const refused = (error?: string) => ({
      type: 'control_response',
      response: { subtype: 'error', request_id: OPEN_ID, error },
    });
    expect(step([refused('no')])).toMatchObject({
      records: [{ type: 'session_refused', message: 'no' }],
      answered: [OPEN_ID],
      busy: 'not_ready',
    });
  });

  test('a process at work is in a turn, and one of another version offers what it says', () => {
    const running = step([native.opened(OPEN_ID, { session_state: 'running' })]);
    expect(running.busy).toBe('busy_turn');
    expect(running.records.at(-1)).toEqual({ type: 'turn_started' });
    const other = native.opened(OPEN_ID, { claude_code_version: '0.0.1' });
    expect(step([other]).state).toMatchObject({ hasLifecycle: undefined, canCancelQueued: undefined });
    expect(step([other, native.init()]).state).toMatchObject({ hasLifecycle: true, canCancelQueued: true });
    expect(step([other, { ...native.init(), capabilities: [] }]).state).toMatchObject({
      hasLifecycle: false,
      canCancelQueued: false,
    });
    expect(step([other, native.lifecycle('x', 'queued')]).state).toMatchObject({ hasLifecycle: true });
    expect(step([native.opened(OPEN_ID)]).state).toMatchObject({ hasLifecycle: true, canCancelQueued: true });
  });

  test('the session it names is told of where it is news', () => {
    const named = { type: 'session_identified', nativeId: SESSION };
    expect(step([native.opened(OPEN_ID), native.status(), native.init()]).records.slice(2, 3)).toEqual([named]);
    expect(play(native.status()).records).toEqual([]);
    const other = { ...native.init(), session_id: 'other' };
    expect(play(native.status(), { ...native.status(), session_id: 'other' }).records).toEqual([]);
    expect(play(native.status(), other).records[0]).toEqual({ type: 'session_identified', nativeId: 'other' });
  });
});

describe('T7 what is recorded of a compaction of ours', () => {
  test('each step, in its order', () => {
    const repeated = [...proof.slice(0, 2), native.compacting(), ...proof.slice(2)];
    const { records, busy } = play(ask, compact, ...repeated, native.compactResult(U));
    expect(busy).toBeUndefined();
    expect(records).toEqual([
      { type: 'compaction_requested', requestId: 'r', nativeKeys: { command_uuid: U } },
      { type: 'compaction_dispatched', requestId: 'r', nativeKeys: { command_uuid: U } },
      { type: 'compaction_started', ...own },
      { type: 'turn_started' },
      { type: 'compaction_progress', ...own, detail: 'compacting' },
      { type: 'compaction_progress', ...own, detail: 'heartbeat' },
      { type: 'compaction_progress', ...own, detail: 'boundary' },
      { type: 'compaction_ended', ...own, outcome: 'completed', tokens: { before: 100, after: 10, estimated: true } },
      {
        type: 'turn_ended',
        outcome: 'completed',
        kind: 'compaction',
        inputId: U,
        inputIds: [U],
      },
      { type: 'idle' },
    ]);
  });

  test('its failure, its refusal, and an end without a proof', () => {
    const failed = [...proof.slice(0, 2), native.compacted('failed', 'API Error: 500'), native.init(U), native.compactResult(U)];
    expect(play(ask, compact, ...failed).records).toContainEqual({
      type: 'compaction_ended',
      ...own,
      outcome: 'failed',
      hint: 'provider_error',
      message: 'API Error: 500',
    });
    expect(play(ask, compact, native.lifecycle(U, 'refused')).records).toContainEqual({
      type: 'compaction_rejected',
      requestId: 'r',
      reason: 'native_refused',
    });
    expect(play(ask, compact, native.lifecycle(U, 'cancelled')).records).toContainEqual({
      type: 'compaction_ended',
      ...own,
      outcome: 'aborted',
    });
    const bare = [native.lifecycle(U, 'started'), native.init(U), native.compactResult(U)];
    expect(play(ask, compact, ...bare).records).toContainEqual({ type: 'compaction_ended', ...own, outcome: 'unknown' });
  });

  test('the row before it, where one was told of; and what the host withdraws', () => {
    const row = { type: 'assistant', uuid: 'row', message: { content: [] } };
    const child = { ...row, uuid: 'child', parent_tool_use_id: 't' };
    expect(play(row, child, { ...native.status(), uuid: 'no row' }, ask, compact).records).toMatchObject([
      { type: 'compaction_requested', position: 'row' },
      { type: 'compaction_dispatched', position: 'row' },
    ]);
    expect(play(row, native.boundary('auto', 'behind'), ask).records.at(-1)).toMatchObject({ position: 'behind' });
    expect(play({ type: 'user', uuid: 'said', message: {} }, ask).records.at(-1)).toMatchObject({ position: 'said' });
    expect(play({ dir: 'host', ask: 'withdraw', requestId: 'r', reason: 'aborted' }).records).toEqual([
      { type: 'compaction_rejected', requestId: 'r', reason: 'aborted' },
    ]);
    expect(play({ dir: 'host', ask: 'abort' }).records).toEqual([]);
    expect(play(compact).records).toMatchObject([{ type: 'compaction_dispatched', requestId: U }]);
  });
});

describe('R6 a compaction that is not ours', () => {
  const ended = { type: 'compaction_ended', ...automatic };
  const tokens = { before: 100, after: 10, estimated: true };
  test('is told of from its start to its boundary, and is in the way until then', () => {
    const running = play(native.compacting(), native.compacting(), native.compacted('success'));
    expect(running.busy).toBe('busy_compaction');
    expect(running.records).toEqual([
      { type: 'compaction_started', ...automatic },
      { type: 'compaction_progress', ...automatic, detail: 'heartbeat' },
    ]);
    const over = play(native.compacting(), native.compacted('success'), native.boundary('auto'));
    expect([over.busy, over.records.at(-1)]).toEqual([undefined, { ...ended, outcome: 'completed', tokens }]);
  });

  test('ends failed with its words, or with its turn', () => {
    const failed = play(native.compacting(), native.compacted('failed', 'no'));
    expect([failed.busy, failed.records.at(-1)]).toEqual([undefined, { ...ended, outcome: 'failed', message: 'no' }]);
    const unsaid = play(native.compacting(), native.compacted('failed'));
    expect(unsaid.records.at(-1)).toEqual({ ...ended, outcome: 'failed' });
    const cut = (...frames: JsonObject[]) => play(native.init(), native.compacting(), ...frames, native.autonomous()).records;
    expect(cut().at(2)).toEqual({ ...ended, outcome: 'unknown' });
    expect(cut(native.compacted('success')).at(2)).toEqual({ ...ended, outcome: 'completed' });
    expect(play(native.init(), native.autonomous()).records.some(({ type }) => type === 'compaction_ended')).toBe(false);
  });

  test('an end of what never began is a repeat, and so is a boundary that was told before', () => {
    expect(play(native.compacted('success'), native.compacted('failed', 'no'), native.status()).records).toEqual([]);
    expect(play(native.compacting(), native.status()).busy).toBe('busy_compaction');
    expect(play(native.boundary('auto'), native.boundary('auto')).records).toHaveLength(1);
    expect(play(native.boundary('auto', 'a'), native.boundary('auto', 'b')).records).toHaveLength(2);
    expect(play(native.boundary('auto', ''), native.boundary('auto', '')).records).toHaveLength(2);
    expect(play(native.boundary('manual')).records).toEqual([
      { type: 'compaction_ended', origin: 'foreign', outcome: 'completed', tokens },
    ]);
  });
});

describe('C1 a cancel has a target', () => {
  const interrupt = (queued: boolean) => ({
    type: 'control_request',
    request_id: 'c',
    request: queued ? { subtype: 'interrupt', cancel_queued: true } : { subtype: 'interrupt' },
  });
  test.each<[string, (JsonObject | Body)[], JsonObject | undefined]>([
    ['nothing runs', [], undefined],
    ['our compaction', [compact], interrupt(true)],
    ['our input', [input], interrupt(true)],
    ['a turn', [native.init()], interrupt(true)],
    ['an automatic compaction', [native.compacting()], interrupt(true)],
    ['a process that cannot cancel what is queued', [{ ...native.init(), capabilities: [] }], interrupt(false)],
  ])('%s', (_what, entries, frame) => {
    expect(play(...entries).cancel).toEqual(frame);
  });

  test('C2 C5 its receipt answers it, and while that lists our target it is written again, and plain', () => {
    const cancel = wrote('cancel', 'c');
    const listed = (id: string, target: string) => play(compact, cancel, native.receipt(id, [target]));
    expect(listed('c', U)).toMatchObject({ answered: [OPEN_ID], writes: [{ ref: { kind: 'cancel', id: 'c:4' } }] });
    expect(listed('c', U).writes[0]?.frame).toMatchObject({ request: { subtype: 'interrupt' } });
    expect(listed('c', U).writes[0]?.frame.request).not.toHaveProperty('cancel_queued');
    expect(listed('c', 'other')).toMatchObject({ answered: [OPEN_ID, 'c'], writes: [] });
    expect(listed('c:9', 'other')).toMatchObject({ answered: [OPEN_ID, 'c'], writes: [] });
    expect(listed('other', U)).toMatchObject({ answered: [OPEN_ID], writes: [] });
    const over = play(compact, cancel, native.lifecycle(U, 'cancelled'), native.receipt('c', [U]));
    expect(over).toMatchObject({ answered: [OPEN_ID, 'c'], writes: [] });
    const ours = play(input, cancel, native.receipt('c', ['in']));
    expect(ours.writes).toHaveLength(1);
    const none = play(cancel, native.receipt('c', ['']));
    expect(none).toMatchObject({ answered: [OPEN_ID, 'c'], writes: [] });
    const again = play(compact, cancel, native.receipt('c', [U]), wrote('cancel', 'c:4'), native.receipt('c:4'));
    expect(again.answered).toEqual([OPEN_ID, 'c']);
    expect(play(compact, cancel, native.lifecycle(U, 'cancelled')).records.at(-1)).toMatchObject({ outcome: 'aborted' });
  });
});

describe('T8 what Claude asks', () => {
  const request = (method: string, more: JsonObject = {}) => ({
    type: 'control_request',
    request_id: 'q',
    request: { subtype: method, ...more },
  });
  const question = request('can_use_tool', { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't' });
  const answer = (behavior: string, message?: string) =>
    wrote('answer', 'q', { response: { response: { behavior, ...(message ? { message } : {}) } } });

  test('a permission goes to the host, and its answer is recorded once', () => {
    const { records, state } = play(question);
    expect(records).toEqual([
      { type: 'permission_asked', permissionId: 'q', tool: 'Bash', input: { command: 'ls' }, frame: 2, toolCallId: 't' },
    ]);
    expect(claudeMachine.answer(state, 'q', 'allow')).toMatchObject({
      response: { request_id: 'q', response: { behavior: 'allow', updatedInput: { command: 'ls' } } },
    });
    expect(claudeMachine.answer(state, 'q', 'deny')).toMatchObject({
      response: { response: { behavior: 'deny', message: 'The host denied this tool call.' } },
    });
    expect(claudeMachine.answer(state, 'q', { deny: 'not now' })).toMatchObject({
      response: { response: { message: 'not now' } },
    });
    expect(claudeMachine.answer(state, 'other', 'allow')).toBeUndefined();
    const given = { type: 'permission_answered', permissionId: 'q', by: 'client' };
    expect(play(question, answer('allow'), answer('allow')).records.slice(1)).toEqual([{ ...given, decision: 'allow' }]);
    expect(play(question, answer('deny', 'no')).records.at(-1)).toEqual({ ...given, decision: 'deny', message: 'no' });
    expect(play(request('can_use_tool', { agent_id: 'a' })).records).toMatchObject([{ tool: '', isChild: true }]);
  });

  test('one that Claude takes back is closed, and everything else is refused', () => {
    const taken = { type: 'control_cancel_request', request_id: 'q' };
    expect(play(question, taken, taken).records.slice(1)).toEqual([
      { type: 'permission_answered', permissionId: 'q', decision: 'deny', by: 'native' },
    ]);
    expect(play(taken).records).toEqual([]);
    const { records, writes } = play(request('mcp_message'));
    expect(records).toEqual([{ type: 'native_request_refused', method: 'mcp_message' }]);
    expect(writes).toMatchObject([
      { frame: { response: { subtype: 'error', request_id: 'q' } }, ref: { kind: 'answer', id: 'q' } },
    ]);
  });
});

describe('T7 frames that settle nothing', () => {
  test('of child agents and tasks, and of nobody', () => {
    const task = (subtype: string, more: JsonObject = {}) => ({ type: 'system', subtype, tool_use_id: 't', ...more });
    const notices = ['completed', 'stopped', 'failed'].map((status) => task('task_notification', { status }));
    expect(play(task('task_started'), ...notices).records).toEqual([
      { type: 'task_started', taskId: 't' },
      ...['completed', 'aborted', 'failed'].map((outcome) => ({ type: 'task_ended', taskId: 't', outcome })),
    ]);
    const child = { ...native.boundary('auto'), parent_tool_use_id: 't' };
    expect(play(child).records).toEqual([{ type: 'raw', frame: 2, native: child }]);
    expect(play({ type: 'new' }).records).toEqual([{ type: 'raw', frame: 2, native: { type: 'new' } }]);
    expect(play(keepAlive).records).toEqual([]);
    expect(play(new Unparsed('noise', 'hm', 2)).records).toHaveLength(1);
  });

  test('while ours is open, a frame of another session is not ours to judge by', () => {
    const theirs = { ...native.compacting(), session_id: 'other' };
    expect(play(native.status(), compact, theirs).records.slice(1)).toEqual([{ type: 'raw', frame: 4, native: theirs }]);
    expect(play(native.status(), theirs).records).toEqual([{ type: 'compaction_started', ...automatic }]);
  });

  test('pieces of text, by the agent that writes them', () => {
    const event = (value: JsonObject, task?: string) => ({
      type: 'stream_event',
      event: value,
      ...(task ? { parent_tool_use_id: task } : {}),
    });
    const begin = (id: string, task?: string) => event({ type: 'message_start', message: { id } }, task);
    const piece = (text: string, task?: string) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, task);
    expect(play(begin('m'), begin('k', 't'), piece('a'), piece('b', 't')).records).toEqual([
      { type: 'assistant_delta', messageId: 'm', index: 0, text: 'a' },
      { type: 'assistant_delta', taskId: 't', messageId: 'k', index: 0, text: 'b' },
    ]);
  });

  test('the text of a command that is not ours is told as text', () => {
    expect(play(native.commandFailed('hm')).records).toEqual([{ type: 'assistant_text', text: 'hm' }]);
    expect(play(native.commandFailed('')).records).toEqual([]);
  });
});

describe('G4 what the gate says', () => {
  const gate = (answer: JsonObject | undefined, ...behind: (JsonObject | Unparsed)[]) => {
    const { state } = play(ask, wrote('read', 'read'), ...(answer ? [answer] : []), ...behind);
    return claudeMachine.admit(state, 2);
  };
  const read = (extra: JsonObject = {}) => native.opened('read', extra);
  const background = { type: 'system', subtype: 'background_tasks_changed', tasks: [{}] };
  test.each<[string, object, object]>([
    ['no answer yet', gate(undefined), { wait: true }],
    ['the catalogue', gate(read()), { go: true }],
    ['another catalogue', gate(read({ commands: [] })), { reject: 'not_builtin' }],
    ['running', gate(read({ session_state: 'running' })), { reject: 'busy_turn' }],
    ['running with background work', gate(read({ session_state: 'running' }), background), { go: true }],
    ['a line that was dropped', gate(read(), new Unparsed('oversize', '', 1e9)), { reject: 'not_ready' }],
    ['a turn', gate(read(), native.init()), { reject: 'busy_turn' }],
    ['the answer once more', gate(read(), read({ commands: [] })), { go: true }],
  ])('to %s', (_what, verdict, expected) => {
    expect(verdict).toEqual(expected);
  });

  test('C5 each read is answered once', () => {
    expect(play(wrote('read', 'read'), read(), read()).answered).toEqual([OPEN_ID, 'read']);
    const { state } = play(wrote('read', 'read'), read());
    expect(claudeMachine.admit(state, 9)).toMatchObject({ ask: [{ ref: { kind: 'read' } }] });
  });
});
