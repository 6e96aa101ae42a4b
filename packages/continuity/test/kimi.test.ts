import { describe, expect, test } from 'vitest';
import {
  auditRebuilt,
  buildHandoff,
  type ContextMessage,
  entriesOf,
  entryOf,
  estimateTokens,
  inFlightOf,
  initialKimiReader,
  onCompaction,
  readKimiEvent,
} from '../src/index.ts';
import { eventsAfter, eventsBefore, lastTurn, ledgerOf, QUESTION, rebuilt } from './support/kimi.ts';

const before = ledgerOf(eventsBefore);
const after = ledgerOf([...eventsBefore, ...eventsAfter]);
const budget = { totalTokens: 2_000, headTokens: 500, inFlightTokens: 2_000, estimate: estimateTokens };

describe('the events of Kimi Code', () => {
  test('at the automatic compaction inside a turn the skill is done and the last question in flight', () => {
    expect(eventsBefore.at(-1)).toMatchObject({ type: 'full_compaction.begin', source: 'auto' });
    expect(before.count).toBe(21);
    expect(entryOf(before, 'p1')).toMatchObject({ kind: 'skill', state: 'done', inFlight: false });
    expect(inFlightOf(before)).toMatchObject([{ id: `p${lastTurn}`, text: QUESTION, state: 'open' }]);
    expect(entriesOf(before).filter(({ state }) => state === 'done')).toHaveLength(20);
    expect(after.compactions).toBe(1);
  });

  test.each([
    ['completed', 'done'],
    ['cancelled', 'abandoned'],
    ['failed', 'open'],
  ])('a turn that ended %s leaves its request %s', (reason, state) => {
    const ledger = ledgerOf([...eventsBefore, { type: 'turn.ended', turnId: lastTurn, reason }]);
    expect(entryOf(ledger, `p${lastTurn}`)).toMatchObject({ state, inFlight: false });
  });

  test('kimi-R1 what is no request of the user gives no fact; neither does what is not known', () => {
    const kinds = [
      'injection',
      'shell_command',
      'compaction_summary',
      'system_trigger',
      'task',
      'background_task',
      'cron_job',
      'cron_missed',
      'hook_result',
      'retry',
    ];
    const foreign = kinds.map((kind, n) => ({ type: 'turn.prompt', turnId: n, promptId: `x${n}`, origin: { kind }, input: 'x' }));
    const model = {
      type: 'turn.prompt',
      turnId: 99,
      promptId: 'x99',
      origin: { kind: 'skill_activation', trigger: 'model' },
      input: 'x',
    };
    const odd = [
      null,
      1,
      'text',
      [],
      {},
      { type: 'new.kind' },
      { type: 'turn.prompt' },
      { type: 'turn.ended', turnId: 'nobody' },
      { type: 'turn.prompt', input: 5 },
    ];
    for (const event of [...foreign, model, ...odd])
      expect(readKimiEvent(initialKimiReader, event).facts, JSON.stringify(event)).toEqual([]);
    expect(ledgerOf([{ type: 'full_compaction.begin' }, { type: 'full_compaction.cancel' }]).compactions).toBe(0);
  });

  test('a turn that is named like a member of every object is a turn like any other', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(readKimiEvent(initialKimiReader, { type: 'turn.ended', turnId: name, reason: 'completed' }).facts).toEqual([]);
      const ledger = ledgerOf([
        { type: 'turn.prompt', turnId: name, promptId: 'p', input: 'x' },
        { type: 'agent.turn.started', turnId: name },
      ]);
      expect(inFlightOf(ledger).map(({ id }) => id)).toEqual(['p']);
    }
  });

  test('public events say the same', () => {
    const ledger = ledgerOf([
      { type: 'prompt.submitted', promptId: 'p', origin: { kind: 'plugin_command', trigger: 'user-slash' }, content: 'go' },
      { type: 'turn.started', turnId: 't', promptId: 'p' },
      { type: 'compaction.completed' },
    ]);
    expect(inFlightOf(ledger)).toMatchObject([{ id: 'p', kind: 'command', text: 'go' }]);
    expect(
      entryOf(
        ledgerOf([
          { type: 'turn.prompt', turnId: 1, input: 'x' },
          { type: 'turn.ended', turnId: 1, reason: 'completed' },
        ]),
        '1',
      ),
    ).toMatchObject({ state: 'done' });
  });
});

describe('the rebuilt request of Kimi Code 2.1.0', () => {
  test('A0 kimi-R7 the auditor names what is wrong with it', () => {
    const findings = auditRebuilt(rebuilt, after);
    const tasks = Array.from({ length: 18 }, (_, n) => `p${n + 3}`);
    expect(findings).toEqual([
      { kind: 'dangling-instruction', message: 0, ids: ['p1'] },
      { kind: 'unaccounted-request', message: 0, ids: ['p1'] },
      { kind: 'fused-requests', message: 2, ids: [...tasks, `p${lastTurn}`] },
      { kind: 'unaccounted-request', message: 2, ids: tasks },
      { kind: 'in-flight-unnamed', ids: [`p${lastTurn}`] },
    ]);
  });

  test('A0 with nothing in flight any more, its question is one more that nobody accounts for', () => {
    const ended = ledgerOf([...eventsBefore, { type: 'turn.ended', turnId: lastTurn, reason: 'completed' }]);
    const kinds = auditRebuilt(rebuilt, ended).map(({ kind }) => kind);
    expect(kinds).not.toContain('in-flight-unnamed');
    expect(auditRebuilt(rebuilt, ended).at(-1)?.ids).toContain(`p${lastTurn}`);
  });

  test('A1 ours: one line each with its state, the question named last and whole, nothing found', () => {
    const handoff = buildHandoff(after, 'Tasks were handled; the draft says --foo.', budget);
    const content = handoff.render();
    expect(auditRebuilt([{ role: 'user', content }], after)).toEqual([]);
    expect(content.split('\n').at(-1)).toContain(QUESTION);
    const skill = content.split('\n').find((line) => line.includes('skill-loaded'));
    expect(skill).toMatch(/^request \{"id":"p1","kind":"skill","state":"done","text":/);
    expect(handoff.account.map(({ id }) => id)).toEqual([...handoff.kept.map(({ id }) => id), `p${lastTurn}`]);
  });

  test('A2 while the turn runs the action carries its anchor; once it is settled there is none', () => {
    const observed = { origin: 'automatic', outcome: 'completed' } as const;
    const action = onCompaction(after, observed, { anchorRoute: 'compaction-hook' });
    expect(action).toMatchObject({ kind: 'compaction-hook', guaranteedFirstStep: true, anchor: { ids: [`p${lastTurn}`] } });
    expect(onCompaction(after, observed, { anchorRoute: 'next-input' })).toMatchObject({
      kind: 'prefix-next-input',
      guaranteedFirstStep: false,
    });
    expect(onCompaction(after, observed, { anchorRoute: 'none' })).toEqual({ kind: 'none', reason: 'no_route' });
    const ended = ledgerOf([...eventsBefore, ...eventsAfter, { type: 'turn.ended', turnId: lastTurn, reason: 'completed' }]);
    expect(onCompaction(ended, observed, { anchorRoute: 'compaction-hook' })).toEqual({
      kind: 'none',
      reason: 'nothing_in_flight',
    });
    for (const outcome of ['failed', 'aborted', 'unknown'] as const)
      expect(onCompaction(after, { origin: 'manual', outcome }, { anchorRoute: 'compaction-hook' })).toEqual({
        kind: 'none',
        reason: 'not_completed',
      });
  });

  test('A3 a model that obeys the first unanswered instruction does the skill again there, and goes on with ours', () => {
    expect(obeyFirst(rebuilt)).toBe('p1');
    expect(obeyFirst([{ role: 'user', content: buildHandoff(after, 'Tasks were handled.', budget).render() }])).toBe(
      `p${lastTurn}`,
    );
  });
});

/** Reads from the top and takes the first instruction whose own block does not say that it is over. No claim on real models. */
function obeyFirst(messages: readonly ContextMessage[]): string | undefined {
  const instructions = entriesOf(after).map(({ id, text }) => ({ id, begin: JSON.stringify(text.slice(0, 20)).slice(1, -1) }));
  for (const [place, { role, content }] of messages.entries()) {
    if (role !== 'user' || content.startsWith('<system-reminder>') || messages[place + 1]?.role === 'assistant') continue;
    for (const block of content.split(/\n\n|\n(?=\w[\w-]* \{)/)) {
      if (/"state":"(?:done|abandoned|superseded)"/.test(block)) continue;
      const found = instructions.find(({ begin }) => block.includes(begin));
      if (found) return found.id;
    }
  }
  return undefined;
}
