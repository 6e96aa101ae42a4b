import { createCodexRuntime } from '@native-compaction/codex';
import { openCodexLab } from '@native-compaction/conformance';
import { prompts, type Show, toNextRequest } from './show.ts';

/** Real Codex sessions: compacted, refused while a turn runs, cancelled, and restored with another prompt. */
export async function demoCodex(executable: string, show: Show): Promise<void> {
  const lab = await openCodexLab();
  const runtime = createCodexRuntime({ executable, env: lab.env });
  const cwd = lab.project;
  try {
    const session = await runtime.open({ cwd, prompt: prompts.old });
    await session.send('Remember the word heron.').ended;
    show('completed', session, await session.compact());

    const turn = session.send('Take your time.');
    await turn.delivered;
    show('refused while a turn runs, which Codex itself would have killed', session, await session.compact());
    await turn.ended;

    session.on('record', (record) => record.type === 'compaction_started' && void session.abort());
    lab.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    show('cancelled while it runs', session, await session.compact());
    await session.dispose();

    lab.server.script((request) => ({ text: request.isCompaction ? 'SUMMARY' : 'fine' }));
    const restored = await runtime.open({ cwd, resume: session.nativeId, prompt: prompts.new });
    const result = await restored.compact();
    await restored.send('Go on.').ended;
    show('restored with a changed prompt', restored, result, toNextRequest(lab.server.requests.at(-1)));
  } finally {
    await runtime.close();
    await lab.close();
  }
}
