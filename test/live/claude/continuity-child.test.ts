import { claudeManualCompaction } from '@native-compaction/claude';
import { DEFAULT_SUMMARY, type ModelRequest, type Reply } from '@native-compaction/conformance';
import { type ContinuityEvent, type ContinuitySession, entriesOf, withContinuity } from '@native-compaction/continuity';
import { afterEach, describe, expect, test } from 'vitest';
import { textOf } from '../../support/account-lines.ts';
import { type ClaudeBench, openClaudeBench, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const full = { usage: { inputTokens: 110_000 } };
const last = (request: ModelRequest) => request.messages.at(-1)?.text ?? '';

describe.each(versionsOf('claude'))('child agents on Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());

  test("a child that compacts while the user waits gets neither the account nor the anchor, and the session's own compaction does", async () => {
    bench = await openClaudeBench(version, () => ({ text: 'done' }), { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' });
    const events: ContinuityEvent[] = [];
    let tracked: ContinuitySession | undefined;
    const plain = await bench.open(
      { permissions: () => 'allow', compactionContext: () => tracked?.context() },
      { args: ['--allowedTools=Bash,Task,Agent'] },
    );
    const session = withContinuity(plain, { capability: claudeManualCompaction, onEvent: (event) => events.push(event) });
    tracked = session;
    await say(session, 'an early one');

    const child = { description: 'child', prompt: 'CHILD-WORK', subagent_type: 'general-purpose', run_in_background: false };
    const ofChild: ModelRequest[] = [];
    let isStarted = false;
    let isFull = false;
    bench.server.script((request): Reply => {
      const isParent = request.messages.some(({ role, text }) => role === 'user' && text.includes('an early one'));
      if (isParent && !request.isCompaction) {
        if (!isStarted) {
          isStarted = true;
          return { tool: 'Task', input: child };
        }
        if (!isFull) return { text: 'the parent answers' };
        isFull = false;
        return { tool: 'Bash', input: { command: 'echo x', description: 'x' }, ...full };
      }
      if (isParent) return { text: DEFAULT_SUMMARY };
      ofChild.push(request);
      if (request.isCompaction) return { text: DEFAULT_SUMMARY };
      if (ofChild.length < 3) return { tool: 'Bash', input: { command: 'echo child', description: 'x' }, ...full };
      return { text: 'CHILD-DONE' };
    });
    const question = session.send('start a child, and tell me which flag it is');
    expect(await question.ended).toBe('completed');
    expect(ofChild.filter(({ isCompaction }) => isCompaction)).toHaveLength(1);
    expect(ofChild.at(-1)?.isCompaction).toBe(false);
    for (const request of ofChild) expect(textOf(request)).not.toMatch(/record of requests|in-flight \{|which flag/);
    expect(events).toEqual([]);
    expect(session.ledger.compactions).toBe(0);

    isFull = true;
    await say(session, 'fills the window');
    const at = bench.server.requests.findLastIndex(({ isCompaction }) => isCompaction);
    const first = bench.server.requests[at + 1];
    expect(first && textOf(first)).toContain('record of requests');
    expect(last(first as ModelRequest)).toContain('fills the window');
    expect(events).toMatchObject([{ did: 'placed' }]);
    expect(entriesOf(session.ledger).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });
});
