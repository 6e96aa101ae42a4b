import { createClaudeRuntime } from '@native-compaction/claude';
import { type Lab, openClaudeLab } from '@native-compaction/conformance';
import { prompts, type Show, toNextRequest } from './show.ts';

const model = 'claude-sonnet-4-5';

/** Real Claude Code sessions: compacted, blocked, cancelled, and restored with another prompt. */
export async function demoClaude(executable: string, show: Show): Promise<void> {
  const withLab = async (what: (lab: Lab, runtime: ReturnType<typeof createClaudeRuntime>) => Promise<void>) => {
    const lab = await openClaudeLab();
    try {
      await what(lab, createClaudeRuntime({ executable, env: lab.env }));
    } finally {
      await lab.close();
    }
  };

  await withLab(async (lab, runtime) => {
    await using session = await runtime.open({ cwd: lab.project, model });
    await session.send('Remember the word heron.').ended;
    show('completed', session, await session.compact());
  });

  await withLab(async (lab, runtime) => {
    const command = 'echo "Not while the release is open." >&2; exit 2';
    lab.write('~/claude/settings.json', { hooks: { PreCompact: [{ hooks: [{ type: 'command', command }] }] } });
    await using session = await runtime.open({ cwd: lab.project, model });
    await session.send('Hello.').ended;
    show('blocked by a hook; its last frame says success all the same', session, await session.compact());
  });

  await withLab(async (lab, runtime) => {
    await using session = await runtime.open({ cwd: lab.project, model });
    await session.send('Hello.').ended;
    session.on('record', (record) => record.type === 'compaction_dispatched' && void session.abort());
    show('cancelled while queued', session, await session.compact());
  });

  await withLab(async (lab, runtime) => {
    const first = await runtime.open({ cwd: lab.project, model, prompt: prompts.old });
    await first.send('Hello.').ended;
    await first.dispose();
    await using restored = await runtime.open({ cwd: lab.project, model, resume: first.nativeId, prompt: prompts.new });
    const result = await restored.compact();
    await restored.send('Go on.').ended;
    show('restored with a changed prompt', restored, result, toNextRequest(lab.server.requests.at(-1)));
  });
}
