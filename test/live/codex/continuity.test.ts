import { readFileSync, writeFileSync } from 'node:fs';
import { codexManualCompaction } from '@native-compaction/codex';
import type { ModelRequest, Reply } from '@native-compaction/conformance';
import {
  auditRebuilt,
  type ContinuityEvent,
  type ContinuitySession,
  inFlightOf,
  withContinuity,
} from '@native-compaction/continuity';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { linesIn } from '../../support/account-lines.ts';
import { type CodexBench, openCodexBench } from '../../support/codex.ts';
import { say } from '../../support/sessions.ts';
import { versionsOf } from '../../support/vendors.ts';

const config = ['model_auto_compact_token_limit = 100000', 'model_context_window = 200000'];
const QUESTION = 'QFINAL-42: which flag enables the feature? Use a tool to record it in "notes.txt".\nIt must be the newest one.';
const contextOf = (request: ModelRequest) => [
  { role: 'system', content: request.system },
  ...request.messages.map(({ role, text }) => ({ role, content: text })),
];
const linesOf = (request: ModelRequest, word: string) =>
  linesIn(
    contextOf(request)
      .map(({ content }) => content)
      .join('\n'),
    word,
  );

describe.each(versionsOf('codex'))('what survives a compaction on Codex %s', (version) => {
  let bench: CodexBench;
  let events: ContinuityEvent[];
  afterEach(() => bench.close());

  const track = async (capability: Parameters<typeof withContinuity>[1]['capability']) => {
    events = [];
    return withContinuity(await bench.open({ permissions: () => 'allow' }), {
      capability,
      onEvent: (event) => events.push(event),
    });
  };
  const askMidTurn = async (session: ContinuitySession) => {
    await session.send('Deploy skill: run the deploy steps and push the branch.', { kind: 'skill' }).ended;
    for (let n = 1; n <= 6; n += 1) await say(session, `please handle item ${n} of the list`);
    let isFull = true;
    const audits: ReturnType<typeof auditRebuilt>[] = [];
    bench.server.script((request): Reply => {
      if (request.isCompaction) return { text: 'SUMMARY-OF-THE-CONVERSATION' };
      if (!isFull) {
        audits.push(auditRebuilt(contextOf(request), session.ledger));
        return { text: 'the flag is --new-parser' };
      }
      isFull = false;
      return { tool: 'exec_command', input: { cmd: 'echo noted' }, usage: { inputTokens: 150_000 } };
    });
    const handle = session.send(QUESTION);
    expect(await handle.ended).toBe('completed');
    const place = bench.server.requests.findIndex((request) => request.isCompaction);
    const first = bench.server.requests[place + 1];
    if (!first) throw new Error('No request came after the compaction.');
    return { handle, first, findings: audits[0] ?? [] };
  };

  test('by itself Codex keeps the texts apart and whole, says of none whether it is done, and there is no way to name the question', async () => {
    bench = await openCodexBench(version, () => ({ text: 'done' }), { config });
    const session = await track(codexManualCompaction);
    const { first, handle, findings } = await askMidTurn(session);
    expect(first.messages.map(({ text }) => text)).toContain(QUESTION);
    expect(first.messages.at(-1)?.text).toContain('SUMMARY-OF-THE-CONVERSATION');
    expect(findings.map(({ kind }) => kind)).toEqual([
      'dangling-instruction',
      ...Array(7).fill('unaccounted-request'),
      'in-flight-unnamed',
    ]);
    expect(findings.at(-1)?.ids).toEqual([handle.id]);
    expect(events).toEqual([{ did: 'not_placed', reason: 'no_route' }]);
    expect(inFlightOf(session.ledger)).toEqual([]);
    expect(session.ledger.compactions).toBe(1);
  });

  /** With a hook that prints a file, trusted and fed when a compaction begins. */
  const openFed = async () => {
    const file = bench.write('~/continuity.json', '{}');
    bench.write('~/codex/hooks.json', {
      hooks: { SessionStart: [{ matcher: 'compact', hooks: [{ type: 'command', command: `cat ${file}` }] }] },
    });
    await trustHooks(bench);
    const session = await track({ ...codexManualCompaction, anchorRoute: 'compaction-hook' });
    session.on('record', (record) => {
      // The hook of a compaction that we asked for runs in the next turn; of a later one the text would be stale.
      if (record.type === 'turn_ended' && record.kind === 'prompt') writeFileSync(file, '{}');
      if (record.type !== 'compaction_started') return;
      const additionalContext = session.context();
      writeFileSync(file, JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }));
    });
    return session;
  };

  test('A2 a hook that the host trusts and keeps fed carries the anchor and the account into the first request', async () => {
    bench = await openCodexBench(version, () => ({ text: 'done' }), { config });
    const session = await openFed();
    const { first, handle, findings } = await askMidTurn(session);
    expect(linesOf(first, 'in-flight')).toEqual([{ id: handle.id, kind: 'prompt', text: QUESTION }]);
    expect(linesOf(first, 'request')[0]).toMatchObject({ kind: 'skill', state: 'done' });
    expect(linesOf(first, 'request')).toHaveLength(8);
    // What is left is Codex's own copy of the skill's text, which has its state elsewhere.
    expect(findings.map(({ kind }) => kind)).toEqual(['dangling-instruction']);
    expect(events).toEqual([{ did: 'placed', ids: [handle.id], characters: expect.any(Number) }]);
  });

  test('a compaction that we ask for, with that hook: the next request has the account, and nothing is in flight', async () => {
    bench = await openCodexBench(version, () => ({ text: 'done' }), { config });
    const session = await openFed();
    await session.send('Deploy skill: run the deploy steps and push the branch.', { kind: 'skill' }).ended;
    for (let n = 1; n <= 3; n += 1) await say(session, `please handle item ${n} of the list`);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const audit = bench.server
      .next()
      .then((request) => ({ request, findings: auditRebuilt(contextOf(request), session.ledger) }));
    await say(session, 'and now something new');
    const { request, findings } = await audit;
    expect(linesOf(request, 'request').map(({ kind, state }) => [kind, state])).toEqual([
      ['skill', 'done'],
      ...Array(3).fill(['prompt', 'done']),
    ]);
    expect(linesOf(request, 'in-flight')).toEqual([]);
    expect(findings.map(({ kind }) => kind)).toEqual(['dangling-instruction']);
    expect(events).toEqual([{ did: 'placed', ids: [], characters: expect.any(Number) }]);
  });

  test('instructions are no part of a request here; the compaction completes without them', async () => {
    bench = await openCodexBench(version, () => ({ text: 'done' }), { config });
    const session = await track(codexManualCompaction);
    await say(session, 'hello');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(events).toEqual([{ did: 'not_placed', reason: 'nothing_in_flight' }]);
  });
});

/** Says in the configuration of this lab's Codex that its hooks are trusted, as its own list names them. */
async function trustHooks(bench: CodexBench): Promise<void> {
  const listed = Promise.withResolvers<JsonObject>();
  const wired = await bench.openWired({
    watch(dir, frame) {
      if (dir === 'in' && String(frame.id).startsWith('test-')) listed.resolve(frame);
    },
  });
  wired.request('hooks/list', { cwds: [bench.project] });
  const { result } = (await listed.promise) as { result?: { data?: { hooks: { key: string; currentHash: string }[] }[] } };
  await wired.session.dispose();
  const trust = (result?.data?.[0]?.hooks ?? []).map(
    ({ key, currentHash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
  );
  bench.write('~/codex/config.toml', `${readFileSync(`${bench.home}/codex/config.toml`, 'utf8')}\n${trust.join('\n')}`);
}
