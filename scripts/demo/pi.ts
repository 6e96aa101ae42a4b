import { openPiLab } from '@native-compaction/conformance';
import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { restoreSession } from '@native-compaction/restore';
import { prompts, type Show, toNextRequest } from './show.ts';

const model = 'lab/lab-1';
const words = 'word '.repeat(40); // Pi finds nothing to compact in less

/** Real Pi sessions over RPC: nothing to compact, compacted, cancelled, and resumed with another prompt, which needs no compaction. */
export async function demoPi(executable: string, show: Show): Promise<void> {
  const lab = await openPiLab();
  const runtime = createPiRpcRuntime({ executable, env: lab.env });
  const cwd = lab.project;
  try {
    const session = await runtime.open({ cwd, model, prompt: prompts.old });
    show('nothing to compact', session, await session.compact());

    await session.send(`Remember the word heron. ${words}`).ended;
    await session.send(`And the word crane. ${words}`).ended;
    show('completed', session, await session.compact());

    await session.send(`And the word stork. ${words}`).ended;
    lab.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
    const asked = lab.server.next((request) => request.isCompaction);
    const cancelled = session.compact();
    await asked;
    await session.abort();
    show('cancelled while it runs', session, await cancelled);
    await session.dispose();

    const options = { cwd, model, resume: session.nativeId, prompt: prompts.new, compact: 'when-needed' } as const;
    const restored = await restoreSession(runtime, options);
    await restored.session.send('Go on.').ended;
    const sent = toNextRequest(lab.server.requests.at(-1));
    show('restored with a changed prompt: no compaction is needed', restored.session, restored.compaction, sent);
  } finally {
    await runtime.close();
    await lab.close();
  }
}
