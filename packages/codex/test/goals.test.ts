import type { EntryBody, RejectReason } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import { describe, expect, test } from 'vitest';
import type { CodexIn, CodexOut } from '../src/frames.ts';
import { codexMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import { native } from './support/native.ts';

const noGoal = { goal: null };
const none = { data: [] };

/** An open thread, and what its gate says to one request after the other. */
function openGate(experimentalApi = true) {
  let n = 0;
  let { state } = codexMachine.init({ thread: { cwd: '/', prompt: {} }, experimentalApi, testedVersions });
  const step = (body: EntryBody<CodexIn, CodexOut>) => {
    n += 1;
    state = codexMachine.step(state, { n, atMs: n, ...body }).state;
  };
  const take = (...frames: CodexIn[]) => {
    for (const frame of frames) step({ dir: 'in', frame });
  };
  take(...native.opening());
  /** A new request: the ids of what the gate asks for. */
  const ask = () => {
    step({ dir: 'host', ask: 'compact', requestId: 'r', operationId: 'o' });
    const since = n;
    const admission = codexMachine.admit(state, since);
    const asked = 'ask' in admission ? admission.ask : [];
    for (const { frame, ref } of asked) step({ dir: 'out', frame, ref });
    return { since, ids: asked.map(({ ref }) => ref.id), verdict: () => codexMachine.admit(state, since) };
  };
  const request = (goal: JsonObject, queue: JsonObject) => {
    const { ids, verdict } = ask();
    take(native.result(ids[0] ?? '', goal), native.result(ids[1] ?? '', queue));
    return verdict();
  };
  const withdraw = (reason: RejectReason) => step({ dir: 'host', ask: 'withdraw', requestId: 'r', reason });
  const change = () => take({ method: 'thread/queue/changed', params: { threadId: state.threadId } });
  return { take, ask, request, withdraw, change };
}

describe('G3 what the gate reads', () => {
  test('the goal alone where the queue is not on, and both afresh for every request', () => {
    expect(openGate(false).ask().ids).toHaveLength(1);
    const gate = openGate();
    const first = gate.ask();
    expect(first.ids).toHaveLength(2);
    expect(first.verdict()).toEqual({ wait: true });
    gate.take(native.result(first.ids[1] ?? '', none));
    expect(first.verdict()).toEqual({ wait: true });
    const second = gate.ask();
    expect(new Set([...first.ids, ...second.ids]).size).toBe(4);
    gate.take(native.result(first.ids[0] ?? '', noGoal), native.result(first.ids[1] ?? '', none));
    expect(second.verdict()).toEqual({ wait: true });
    gate.take(native.result(second.ids[0] ?? '', noGoal), native.result(first.ids[1] ?? '', none));
    expect(second.verdict()).toEqual({ wait: true });
    gate.take(native.result(second.ids[1] ?? '', none));
    expect(second.verdict()).toEqual({ go: true });
  });

  test.each<[string, (goal: string, queue: string) => JsonObject[]]>([
    ['the goal', (goal, queue) => [native.error(goal, 'no'), native.result(queue, none)]],
    ['the queue', (goal, queue) => [native.result(goal, noGoal), native.error(queue, 'no')]],
  ])('%s that cannot be read: not ready', (_what, answers) => {
    const gate = openGate();
    const { ids, verdict } = gate.ask();
    gate.take(...answers(ids[0] ?? '', ids[1] ?? ''));
    expect(verdict()).toEqual({ reject: 'not_ready' });
  });

  test('an active goal refuses, a paused one does not, and what is told last counts', () => {
    const gate = openGate();
    expect(gate.request({ goal: { status: 'active' } }, none)).toEqual({ reject: 'goal_active' });
    gate.take(native.goal('paused'));
    expect(gate.request({ goal: { status: 'paused' } }, none)).toEqual({ go: true });
    gate.take(native.goal('active'));
    expect(gate.ask().verdict()).toEqual({ reject: 'goal_active' });
    gate.take(native.goal('paused'));
    const { ids, verdict } = gate.ask();
    gate.take(
      native.result(ids[0] ?? '', { goal: { status: 'active' } }),
      native.goal('paused'),
      native.result(ids[1] ?? '', none),
    );
    expect(verdict()).toEqual({ reject: 'goal_active' });
  });

  test('an answer to a reading that nobody asked for means nothing', () => {
    const gate = openGate();
    gate.take(native.result('native-compaction-goal-1', noGoal), native.result('native-compaction-queue-1', none));
    expect(gate.ask().verdict()).toEqual({ wait: true });
  });
});

describe('G3 a queue that has moved', () => {
  test('refuses one request, and a reading behind the change lets the next one pass', () => {
    const gate = openGate();
    gate.change();
    expect(gate.request(noGoal, none)).toEqual({ reject: 'queued_input' });
    gate.withdraw('queued_input');
    expect(gate.request(noGoal, none)).toEqual({ go: true });
  });

  test.each<[string, (gate: ReturnType<typeof openGate>) => unknown[]]>([
    ['another reason', (gate) => [gate.change(), gate.request(noGoal, none), gate.withdraw('aborted')]],
    ['a reading before the change', (gate) => [gate.request(noGoal, none), gate.change(), gate.withdraw('queued_input')]],
    ['a reading without an answer', (gate) => [gate.change(), gate.ask(), gate.withdraw('queued_input')]],
    ['no reading', (gate) => [gate.change(), gate.withdraw('queued_input')]],
    ['a list that is not empty', (gate) => [gate.change(), gate.request(noGoal, { data: [{}] }), gate.withdraw('queued_input')]],
  ])('%s does not', (_what, before) => {
    const gate = openGate();
    before(gate);
    expect(gate.request(noGoal, none)).toEqual({ reject: 'queued_input' });
    gate.withdraw('queued_input');
    expect(gate.request(noGoal, none)).toEqual({ go: true });
  });
});
