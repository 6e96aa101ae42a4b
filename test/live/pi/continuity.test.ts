import { readFileSync, writeFileSync } from 'node:fs';
import type { ModelRequest, Reply } from '@native-compaction/conformance';
import {
  auditRebuilt,
  type ContinuityEvent,
  type ContinuitySession,
  entriesOf,
  inFlightOf,
  withContinuity,
} from '@native-compaction/continuity';
import { piManualCompaction } from '@native-compaction/pi';
import { afterEach, describe, expect, test } from 'vitest';
import { linesOf, textOf } from '../../support/account-lines.ts';
import { benches, openPiBench, type PiBench, type Shared, say } from '../../support/pi.ts';

const QUESTION = 'QFINAL-42: which flag enables the feature? Use a tool to record it in "notes.txt".\nIt must be the newest one.';
const OVERFLOW = "This model's maximum context length is 8192 tokens, and you asked for more";
const long = 'word '.repeat(40);
const full = { inputTokens: 199_900 };
const contextOf = (request: ModelRequest) => request.messages.map(({ role, text }) => ({ role, content: text }));

/** An extension that steers the text of a file as its own message once a compaction is saved. */
const steering = (file: string) => `import { readFileSync } from 'node:fs';
export default (pi) => pi.on('session_compact', () => {
  const content = readFileSync(${JSON.stringify(file)}, 'utf8');
  pi.sendMessage({ customType: 'continuity', content, display: false }, { deliverAs: 'steer' });
});`;

/** The extension of docs/continuity.md, with the path of its file filled in. */
function documented(file: string): string {
  const page = readFileSync(new URL('../../../docs/continuity.md', import.meta.url), 'utf8');
  const code = page.match(/```js\n([\s\S]*?)```/)?.[1] ?? '';
  expect(code).toContain('process.env.CONTINUITY_FILE');
  return code.replace('process.env.CONTINUITY_FILE', JSON.stringify(file));
}

describe.each(benches())('what survives a compaction on Pi $version over $surface', (place) => {
  let bench: PiBench;
  let shared: Shared;
  let events: ContinuityEvent[];
  let session: ContinuitySession;
  afterEach(() => bench.close());

  const open = async (
    capability: Parameters<typeof withContinuity>[1]['capability'],
    { extension = '', watch }: { extension?: string; watch?: Parameters<PiBench['openShared']>[1] } = {},
  ) => {
    if (extension !== '') bench.write('~/pi/extensions/continuity.ts', extension);
    events = [];
    shared = await bench.openShared({}, watch);
    session = withContinuity(shared.session, { capability, onEvent: (event) => events.push(event) });
  };
  /** With the extension of the page, fed when a compaction begins. */
  const openFed = async () => {
    const file = bench.write('~/continuity.txt', '');
    await open({ ...piManualCompaction, anchorRoute: 'compaction-hook' }, { extension: documented(file) });
    session.on('record', ({ type }) => {
      if (type === 'compaction_started') writeFileSync(file, session.context() ?? '');
    });
  };
  const seed = async (count = 6) => {
    await session.send(`Deploy skill: run the deploy steps and push the branch. ${long}`, { kind: 'skill' }).ended;
    for (let n = 1; n <= count; n += 1) await say(session, `please handle item ${n} of the list ${long}`);
  };
  /** Answers in order; each request that is no compaction is audited as it arrives. */
  const answer = (...replies: Reply[]) => {
    const audits: ReturnType<typeof auditRebuilt>[] = [];
    const asked: ModelRequest[] = [];
    bench.server.script((request): Reply => {
      if (request.isCompaction) return { text: 'SUMMARY-OF-THE-CONVERSATION' };
      asked.push(request);
      audits.push(auditRebuilt(contextOf(request), session.ledger));
      return replies.shift() ?? { text: 'fine' };
    });
    return { audits, asked };
  };
  const tool = (command: string, usage = {}): Reply => ({ tool: 'bash', input: { command }, usage });
  /** The question, two tools whose results push it out of what Pi keeps, and a full window: Pi compacts inside the run. */
  const askMidTurn = async () => {
    const { audits, asked } = answer(tool(`echo ${long}`), tool(`echo ${long}`, full), { text: 'the flag is --new-parser' });
    const handle = session.send(QUESTION);
    expect(await handle.ended).toBe('completed');
    const [, , first] = asked;
    if (!first) throw new Error('No request came after the compaction.');
    return { handle, first, findings: audits[2] };
  };

  test('by itself Pi cuts the question off inside a long run, and this runtime has no way to name it', async () => {
    bench = await openPiBench(place);
    await open(piManualCompaction);
    await seed(2);
    const { first, handle, findings } = await askMidTurn();
    expect(textOf(first)).toContain('SUMMARY-OF-THE-CONVERSATION');
    expect(textOf(first)).not.toContain('QFINAL-42');
    expect(findings).toEqual([{ kind: 'in-flight-unnamed', ids: [handle.id] }]);
    expect(events).toEqual([{ did: 'not_placed', reason: 'no_route' }]);
    expect(inFlightOf(session.ledger)).toEqual([]);
    expect(session.ledger.compactions).toBe(1);
  });

  test("A2 with the host's own extension the first request names the question whole, and the early command as done", async () => {
    bench = await openPiBench(place);
    await openFed();
    await seed();
    const { first, handle, findings } = await askMidTurn();
    expect(linesOf(first, 'in-flight')).toEqual([{ id: handle.id, kind: 'prompt', text: QUESTION }]);
    const account = linesOf(first, 'request');
    expect(account).toHaveLength(8);
    expect(account[0]).toMatchObject({ kind: 'skill', state: 'done' });
    expect(account.slice(0, -1).every(({ state }) => state === 'done')).toBe(true);
    expect(findings).toEqual([]);
    expect(events).toEqual([{ did: 'placed', ids: [handle.id], characters: expect.any(Number) }]);
    const { asked } = answer();
    await say(session, 'something new');
    expect(asked.flatMap((request) => linesOf(request, 'in-flight'))).toEqual([]);
    expect(entriesOf(session.ledger).every(({ state }) => state === 'done')).toBe(true);
  });

  test('so it is behind an overflow and before a prompt is taken, and after a run nothing is asked again', async () => {
    bench = await openPiBench(place);
    await openFed();
    await seed(2);
    const overflow = answer({ status: 400, message: OVERFLOW });
    const failed = session.send(`${QUESTION} ${long}`);
    expect(await failed.ended).toBe('completed');
    expect(overflow.asked).toHaveLength(2);
    expect(linesOf(overflow.asked[1] as ModelRequest, 'in-flight').map(({ id }) => id)).toEqual([failed.id]);
    expect(overflow.audits[1]).toEqual([]);

    const atTheEnd = answer({ text: 'over', usage: full });
    await say(session, `the last of a run ${long}`);
    expect(atTheEnd.asked).toHaveLength(1);
    expect(session.ledger.compactions).toBe(2);
    const after = answer();
    await say(session, 'after it');
    expect(textOf(after.asked[0] as ModelRequest)).not.toContain('[record of requests]');

    await shared.foreign('set_auto_compaction', { enabled: false });
    answer({ text: 'over', usage: full });
    await say(session, `a big turn ${long}`);
    await shared.foreign('set_auto_compaction', { enabled: true });
    const before = answer();
    const taken = session.send('behind the threshold');
    expect(await taken.ended).toBe('completed');
    expect(session.ledger.compactions).toBe(3);
    expect(linesOf(before.asked[0] as ModelRequest, 'in-flight').map(({ id }) => id)).toEqual([taken.id]);
    expect(before.audits).toEqual([[]]);
  });

  test('a compaction that we ask for: the summarizer gets the account, and the next request has it', async () => {
    bench = await openPiBench(place);
    await openFed();
    await seed(3);
    answer();
    expect(await session.compact({ instructions: 'Be brief.', requestId: 'tidy' })).toMatchObject({ status: 'completed' });
    const asked = bench.server.requests.find(({ isCompaction }) => isCompaction) as ModelRequest;
    expect(textOf(asked)).toMatch(/continuity [0-9a-f]{16}\n/);
    expect(linesOf(asked, 'request').map(({ kind, state }) => [kind, state])).toEqual([
      ['skill', 'done'],
      ...Array(3).fill(['prompt', 'done']),
    ]);
    expect(textOf(asked)).toContain('must not be started again');
    expect(textOf(asked)).toContain('Be brief.');
    const next = answer();
    await say(session, 'and now something new');
    expect(next.audits).toEqual([[]]);
    expect(linesOf(next.asked[0] as ModelRequest, 'request').map(({ state }) => state)).toEqual(Array(4).fill('done'));
    expect(linesOf(next.asked[0] as ModelRequest, 'in-flight')).toEqual([]);
    expect(events).toEqual([
      { did: 'instructed', requestId: 'tidy', characters: expect.any(Number) },
      { did: 'placed', ids: [], characters: expect.any(Number) },
    ]);
  });

  test('runs of an extension come between: what Pi did not take of ours is never in flight, and all of it is done in the end', async () => {
    bench = await openPiBench(place);
    const theirs = `export default function (pi) {
      let n = 0;
      pi.on('agent_settled', async () => {
        if (n++ % 2 === 0 && n < 8) pi.sendMessage({ customType: 'x', content: 'THEIRS ${long}', display: true }, { triggerTurn: true });
      });
    }`;
    await open({ ...piManualCompaction, anchorRoute: 'compaction-hook' }, { extension: theirs });
    const names: string[][] = [];
    session.on('record', ({ type }) => {
      if (type === 'input_held') names.push(inFlightOf(session.ledger).map(({ text }) => text));
    });
    const { asked, audits } = answer();
    const inputs = ['A', 'B', 'C', 'D', 'E', 'F'].map((text) => session.send(`${text} ${long}`));
    expect(await Promise.all(inputs.map(({ ended }) => ended))).toEqual(inputs.map(() => 'completed'));
    expect(names.flat()).toEqual([]);
    const theirAt = asked.findIndex(({ messages }) => messages.at(-1)?.text.startsWith('THEIRS'));
    expect(theirAt).toBeGreaterThan(0);
    expect(audits[theirAt]?.filter(({ kind }) => kind === 'in-flight-unnamed')).toEqual([]);
    expect(entriesOf(session.ledger).map(({ state }) => state)).toEqual(inputs.map(() => 'done'));
  });

  test.each(['command', 'message'])(
    'a steered %s is in that request too, but at the end of a run it asks the model once more: no route of ours',
    async (by) => {
      bench = await openPiBench(place);
      const file = bench.write('~/continuity.txt', 'STEERED-TEXT');
      await open(piManualCompaction, {
        extension: by === 'message' ? steering(file) : '',
        watch(dir, { type }) {
          if (by !== 'command' || dir !== 'in' || type !== 'compaction_start') return;
          void shared.foreign('steer', { message: 'STEERED-TEXT' });
        },
      });
      await seed(2);
      const { first } = await askMidTurn();
      expect(first.messages.at(-1)?.text).toBe('STEERED-TEXT');
      const atTheEnd = answer({ text: 'over', usage: full });
      await say(session, `the last of a run ${long}`);
      expect(atTheEnd.asked).toHaveLength(2);
      expect(atTheEnd.asked[1]?.messages.at(-1)?.text).toBe('STEERED-TEXT');
    },
  );
});
