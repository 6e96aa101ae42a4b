// After the vendor died: send again what was never written, look before what was, and open anew where nothing can be resumed.
import { createClaudeRuntime } from '@native-compaction/claude';
import { isNativeCompactionError, type Session } from '@native-compaction/core';
import { openCheckpointFile } from './store/checkpoint-file.ts';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const model = process.env.CLAUDE_MODEL;
const store = openCheckpointFile('checkpoint.json');

/** The session of the checkpoint, or a new one where there is none or the vendor has nothing to resume. */
async function openSession(): Promise<Session> {
  const session = await runtime.open({ model, checkpoint: store.load(runtime.id) }).catch((error: unknown) => {
    if (!isNativeCompactionError(error) || error.code !== 'resume_failed') throw error;
    console.log('nothing to resume: opened anew');
    return runtime.open({ model });
  });
  session.on('record', () => store.save(session.checkpoint()));
  return session;
}

{
  const unused = await openSession();
  store.save(unused.checkpoint()); // before its first turn a session is nowhere on disk
  await unused.dispose();
}

const again: string[] = [];
{
  const session = await openSession();
  await session.send('Hello.').ended;
  session.on('record', (record) => {
    if (record.type === 'input_written') process.kill(session.checkpoint().view.statusState.process?.pid ?? 0, 'SIGKILL');
  });
  const inputs = ['Count the files.', 'Name the newest.'].map((text) => ({ text, handle: session.send(text) }));
  for (const { text, handle } of inputs) {
    const outcome = await handle.ended;
    console.log(`"${text}" ended ${outcome}`);
    if (outcome === 'undelivered') again.push(text); // one that is unconfirmed was written: look at the conversation first
  }
  await session.dispose();
}

const session = await openSession();
for (const text of again) console.log(`"${text}" sent again: ${await session.send(text).ended}`);
await runtime.close();
