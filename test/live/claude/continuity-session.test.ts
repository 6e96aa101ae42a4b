import { claudeManualCompaction } from '@native-compaction/claude';
import { DEFAULT_SUMMARY, type Reply } from '@native-compaction/conformance';
import {
  type ContinuityEvent,
  type ContinuityOptions,
  type ContinuitySession,
  compactInstructions,
  entriesOf,
  entryOf,
  inFlightOf,
  restoreLedger,
  snapshotLedger,
  withContinuity,
} from '@native-compaction/continuity';
import type { InputHandle } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { linesOf, textOf } from '../../support/account-lines.ts';
import { type ClaudeBench, openClaudeBench, recordsSoFar, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' };
const full = { usage: { inputTokens: 110_000 } };
const QUESTION = 'QFINAL-42: which flag enables the feature? Use a tool to record it in "notes.txt".';
const nextInput = { ...claudeManualCompaction, anchorRoute: 'next-input' } as const;
const shown = (session: ContinuitySession) => entriesOf(session.ledger).map(({ text, state }) => [text, state]);

describe.each(versionsOf('claude'))('a tracked session on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  let events: ContinuityEvent[];
  let session: ContinuitySession;
  afterEach(() => bench.close());

  const track = async (options: Partial<ContinuityOptions>, resume?: string) => {
    events = [];
    let tracked: ContinuitySession | undefined;
    const plain = await bench.open({
      permissions: () => 'allow',
      ...(options.capability === nextInput ? {} : { compactionContext: () => tracked?.context() }),
      ...(resume === undefined ? {} : { resume }),
    });
    tracked = withContinuity(plain, { capability: claudeManualCompaction, onEvent: (event) => events.push(event), ...options });
    session = tracked;
    return plain;
  };
  const start = async (options: Partial<ContinuityOptions> = {}, env: Record<string, string> = window) => {
    bench = await openClaudeBench(version, () => ({ text: 'done' }), env);
    return track(options);
  };
  /** The window is full inside the turn of the question, and behind the compaction the provider refuses. */
  const failAfterCompaction = async (question = QUESTION): Promise<InputHandle> => {
    let asked = 0;
    await say(session, 'an early one');
    bench.server.script((request): Reply => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      asked += 1;
      return asked === 1
        ? { tool: 'Bash', input: { command: 'echo noted', description: 'x' }, ...full }
        : { status: 400, message: 'the provider is at fault' };
    });
    const failed = session.send(question);
    expect(await failed.ended).toBe('failed');
    bench.server.script(() => ({ text: 'fine' }));
    return failed;
  };

  test('what cannot be tracked is refused with a code, before anything is written', async () => {
    const plain = await start();
    const refused = (call: () => unknown, says: string) =>
      expect(call).toThrow(expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(says) }));
    const capability = claudeManualCompaction;
    refused(() => withContinuity(session, { capability }), 'tracked already');
    refused(() => withContinuity(plain, { capability }), 'tracked already');
    const other = await bench.open();
    const wrong: [unknown, string][] = [
      [undefined, 'options'],
      [{ capability: 'claude' }, 'capability'],
      [{ capability: { ...capability, anchorRoute: 'hook' } }, 'anchorRoute'],
      [{ capability, ledger: snapshotLedger(session.ledger) }, 'restoreLedger()'],
      [{ capability, contextCharacters: Number.NaN }, 'contextCharacters'],
      [{ capability, contextCharacters: 100 }, 'contextCharacters'],
      [{ capability, anchor: { inFlightTokens: -1 } }, 'anchor.inFlightTokens'],
      [{ capability, instructions: { maxRequests: 0.5 } }, 'instructions.maxRequests'],
      [{ capability, onEvent: 'log' }, 'onEvent'],
      [{ capability, onevent: () => undefined }, 'known here: capability, ledger'],
    ];
    for (const [options, says] of wrong) refused(() => withContinuity(other, options as ContinuityOptions), says);
    refused(() => withContinuity(undefined as never, { capability }), 'open()');
    await other.dispose();
    refused(() => withContinuity(other, { capability }), 'closed');

    const requests = bench.server.requests.length;
    for (const about of [{ kind: 'shell' }, { relation: 'invalid' }, { replace: true }, 'replace'])
      refused(() => session.send('x', about as never), 'send()');
    const unknown = expect.objectContaining({ code: 'unknown_request' });
    expect(() => session.send('x', { relation: 'refine', target: 'nobody' })).toThrow(unknown);
    expect(() => session.relate('nobody', 'refine')).toThrow(unknown);
    refused(() => session.relate('nobody', 'invalid' as never), 'relate()');
    await expect(session.compact(null as never)).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(session.compact('now' as never)).rejects.toMatchObject({ code: 'invalid_options' });
    expect(session.ledger.count).toBe(0);
    expect(bench.server.requests).toHaveLength(requests);
    await say(session, 'hello');
    expect(shown(session)).toEqual([['hello', 'done']]);
  });

  test('an input that a listener sends keeps what the host said of it, and its own text alone', async () => {
    bench = await openClaudeBench(version, () => ({ text: 'done' }), window);
    events = [];
    const plain = await bench.open({ permissions: () => 'allow' });
    const sent: InputHandle[] = [];
    const nested = (after: string, text: string, about: Parameters<ContinuitySession['send']>[1]) =>
      plain.on('record', (record) => {
        if (record.type !== 'input_accepted' || !record.text.endsWith(after)) return;
        const handle = session.send(text, about);
        sent.push(handle);
        session.relate(handle.id, 'continue');
      });
    nested('outer', 'before ours', { kind: 'skill', relation: 'refine' });
    session = withContinuity(plain, { capability: nextInput, onEvent: (event) => events.push(event) });
    nested('outer', 'behind ours', { kind: 'command' });
    plain.on('record', (record) => {
      if (record.type === 'input_accepted' && record.text === 'behind ours') sent.push(plain.send('by another hand'));
    });
    const failed = await failAfterCompaction();
    const outer = session.send('outer', { relation: 'acknowledge' });
    await outer.ended;
    for (const handle of sent) await handle.ended;
    expect(events.at(-1)).toEqual({ did: 'prefixed', inputId: outer.id, ids: [failed.id] });
    const rows = entriesOf(session.ledger).map(({ text, kind, relation, refines }) => [text, kind, relation, refines]);
    expect(rows).toEqual([
      ['an early one', 'prompt', undefined, undefined],
      [QUESTION, 'prompt', undefined, undefined],
      ['outer', 'prompt', 'acknowledge', undefined],
      ['before ours', 'skill', 'refine', entriesOf(session.ledger)[0]?.id],
      ['behind ours', 'command', 'continue', undefined],
      ['by another hand', 'prompt', undefined, undefined],
    ]);
    const last = bench.server.requests.map(({ messages }) => messages.at(-1)?.text ?? '');
    for (const text of ['before ours', 'behind ours', 'by another hand'])
      expect(last.filter((one) => one.endsWith(text))).toHaveLength(1);
    const all = textOf(bench.server.requests.at(-1));
    expect(all.match(/\[request still open: .*\]\nin-flight .*\n\nouter/g)).toHaveLength(1);
  });

  test('a callback of the host that throws loses no input, sends none twice, and is told of', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(warning.message);
    process.on('warning', warned);
    let calls = 0;
    const thrown = Object.create(null); // has no text
    await start({
      capability: nextInput,
      onEvent() {
        calls += 1;
        if (calls > 1) return Promise.reject(new Error('later sk-aaaaaaaaaaaaaaaaaaaaaaaa')) as never;
        throw thrown;
      },
    });
    const failed = await failAfterCompaction();
    const asking = bench.server.next();
    const next = session.send('what about it?');
    expect(await next.ended).toBe('completed');
    expect(linesOf(await asking, 'in-flight').map(({ id }) => id)).toEqual([failed.id]);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    expect(shown(session).at(-1)).toEqual(['what about it?', 'done']);
    const accepted = (await recordsSoFar(session)).filter(({ type }) => type === 'input_accepted');
    expect(accepted).toHaveLength(3);
    expect(calls).toBeGreaterThan(1);
    await expect.poll(() => warnings.filter((message) => message.includes('onEvent'))).toHaveLength(calls);
    process.off('warning', warned);
    expect(warnings.join('\n')).not.toContain('sk-a');
  });

  test("a host's tokenizer that fails sends nothing, and what was waiting goes on waiting", async () => {
    let isBroken = false;
    const estimate = (text: string) => (isBroken ? Number.NaN : text.length);
    await start({ capability: nextInput, anchor: { estimate, inFlightTokens: 600 } });
    const failed = await failAfterCompaction(`${QUESTION} ${'x'.repeat(2_000)}`);
    isBroken = true;
    expect(() => session.send('what about it?')).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    expect(session.ledger.count).toBe(2);
    isBroken = false;
    const asking = bench.server.next();
    const next = session.send('what about it?');
    expect(await next.ended).toBe('completed');
    expect(linesOf(await asking, 'in-flight').map(({ id }) => id)).toEqual([failed.id]);
    expect(events).toEqual([
      { did: 'prefixed', inputId: next.id, ids: [failed.id] },
      { did: 'cut', shortened: [failed.id], unnamed: [] },
    ]);
  });

  test('an input that was to carry the anchor and never went leaves it to the next one', async () => {
    await start({ capability: nextInput });
    const failed = await failAfterCompaction();
    bench.server.script(() => ({ text: 'fine' }));
    const running = session.send('/help-me-not', { kind: 'command' });
    expect(() => session.send('/compact')).toThrow(expect.objectContaining({ code: 'reserved_command' }));
    const cost = session.send('/cost');
    const carrier = session.send('I take this back');
    expect(carrier.withdraw()).toBe(true);
    await running.ended;
    const asking = bench.server.next();
    await say(session, 'and this I mean');
    expect(linesOf(await asking, 'in-flight').map(({ id }) => id)).toEqual([failed.id]);
    expect(entryOf(session.ledger, carrier.id)).toMatchObject({ state: 'abandoned', text: 'I take this back' });
    expect(bench.server.requests.some((request) => request.messages.at(-1)?.text.endsWith('/cost'))).toBe(false);
    expect(await cost.ended).toBe('completed');
  });

  test('an input to a closed session is undelivered, and nothing is said to have gone with it', async () => {
    await start({ capability: nextInput });
    await failAfterCompaction();
    await session.dispose();
    const late = session.send('too late');
    expect(await late.ended).toBe('undelivered');
    expect(events).toEqual([]);
    expect(() => session.relate(late.id, 'refine')).toThrow(expect.objectContaining({ code: 'unknown_request' }));
  });

  test('what the redactor masks is in no text of ours, by the hook or before an input', async () => {
    const secret = 'hunter2-correct-horse';
    const question = `${QUESTION} The password is ${secret}, the key sk-live0123456789abcdefghij.`;
    await start({}, { ...window, DEPLOY_PASSWORD: secret });
    let isFull = true;
    await say(session, 'an early one');
    bench.server.script((request): Reply => {
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      const wasFull = isFull;
      isFull = false;
      return wasFull ? { tool: 'Bash', input: { command: 'echo noted', description: 'x' }, ...full } : { text: 'fine' };
    });
    expect(await session.send(question).ended).toBe('completed');
    const place = bench.server.requests.findIndex(({ isCompaction }) => isCompaction);
    const first = bench.server.requests[place + 1];
    expect(linesOf(first, 'in-flight')[0]?.text).toContain('The password is [redacted], the key [redacted].');
    expect(textOf(first)).not.toMatch(/hunter2|sk-live/);
    const ours = [JSON.stringify(snapshotLedger(session.ledger)), compactInstructions(session.ledger), session.context()];
    for (const text of ours) expect(text).not.toMatch(/hunter2|sk-live/);
  });

  test('a prefix that the redactor changes leaves the text of its input alone', async () => {
    await start({ capability: nextInput });
    const failed = await failAfterCompaction();
    const snapshot = snapshotLedger(session.ledger);
    const key = 'sk-live0123456789abcdefghij';
    const entries = snapshot.entries.map((entry) => ({ ...entry, text: `${entry.text} ${key}` }));
    const nativeId = session.nativeId;
    await session.dispose();
    await track({ capability: nextInput, ledger: restoreLedger({ ...snapshot, entries }) }, nativeId);
    const again = await failAfterCompaction('a second question');
    session.relate(again.id, 'continue');
    const next = session.send('my own\n\nwords');
    await next.ended;
    expect(entryOf(session.ledger, next.id)?.text).toBe('my own\n\nwords');
    expect(entryOf(session.ledger, failed.id)?.text).toContain(key);
  });

  test('a snapshot, a new process, a resume: the same account, and the next compaction carries it', async () => {
    await start();
    await session.send('Deploy skill: run the deploy steps and push the branch.', { kind: 'skill', relation: 'replace' }).ended;
    await session.send('also check unhappy paths', { relation: 'refine' }).ended;
    const bytes = JSON.stringify(snapshotLedger(session.ledger));
    const account = compactInstructions(session.ledger);
    const { nativeId } = session;
    await session.dispose();

    await track({ ledger: restoreLedger(JSON.parse(bytes)) }, nativeId);
    expect(JSON.stringify(snapshotLedger(session.ledger))).toBe(bytes);
    expect(compactInstructions(session.ledger)).toBe(account);
    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const asked = bench.server.requests.find(({ isCompaction }) => isCompaction);
    expect(textOf(asked)).toContain(account);
    const next = bench.server.next();
    await say(session, 'and now something new');
    expect(new Set(linesOf(await next, 'request').map(({ state }) => state))).toEqual(new Set(['done']));
    expect(events.map(({ did }) => did)).toEqual(['instructed', 'placed']);
    expect(entriesOf(session.ledger).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  test('a process that dies in a turn: after the resume its request is open, and neither in flight nor queued', async () => {
    await start();
    await say(session, 'an early one');
    bench.server.script(() => ({ hang: true }));
    const asking = bench.server.next();
    const running = session.send(QUESTION);
    const queued = session.send('one behind it');
    await asking;
    expect(inFlightOf(session.ledger).map(({ id }) => id)).toEqual([running.id]);
    const bytes = JSON.stringify(snapshotLedger(session.ledger));
    const { nativeId } = session;
    await session.dispose();
    expect(entryOf(session.ledger, running.id)).toMatchObject({ state: 'open', outcome: 'unconfirmed', inFlight: false });
    expect(entryOf(session.ledger, queued.id)).toMatchObject({ state: 'abandoned' });

    bench.server.script((request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' }));
    await track({ ledger: restoreLedger(JSON.parse(bytes)) }, nativeId);
    expect(events).toEqual([{ did: 'interrupted', ids: [running.id, queued.id] }]);
    expect(inFlightOf(session.ledger)).toEqual([]);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const next = bench.server.next();
    await say(session, 'go on');
    expect(linesOf(await next, 'in-flight')).toEqual([]);
    const states = linesOf(await next, 'request').map((line) => [line.id, line.state, 'queued' in line]);
    expect(states).toContainEqual([running.id, 'open', false]);
    expect(states).toContainEqual([queued.id, 'open', false]);
  });
});
