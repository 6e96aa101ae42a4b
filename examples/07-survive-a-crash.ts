// Keep the checkpoint in a file, and after a crash ask the vendor's own files what became of the compaction that was open.
import { createClaudeRuntime } from '@native-compaction/claude';
import { reconcile } from '@native-compaction/core';
import { openCheckpointFile } from './store/checkpoint-file.ts';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const model = process.env.CLAUDE_MODEL;
const store = openCheckpointFile('checkpoint.json');
{
  const session = await runtime.open({ model });
  // Saved in the listener, the checkpoint is on disk before a byte of what the record tells has left.
  session.on('record', () => store.save(session.checkpoint()));
  await session.send('Remember the word heron.').ended;
  session.on('record', (record) => {
    if (record.type === 'compaction_dispatched') process.kill(session.checkpoint().view.statusState.process?.pid ?? 0, 'SIGKILL');
  });
  const result = await session.compact({ requestId: 'tidy' });
  console.log(`the vendor died: ${result.status}`);
  await session.dispose();
}

const checkpoint = store.load(runtime.id);
let found = await reconcile(runtime, { checkpoint, requestId: 'tidy' });
// The vendor of a host that was killed ends a moment after it.
for (let asked = 1; found.context === 'unknown' && found.reason === 'still_running' && asked < 20; asked += 1) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  found = await reconcile(runtime, { checkpoint, requestId: 'tidy' });
}
console.log(`what became of it: ${found.context}, by ${found.evidence.map(({ kind }) => kind).join(' and ')}`);

const again = await runtime.open({ model, checkpoint });
for await (const record of again.records()) {
  if (record.type === 'log_opened') console.log(`the new log follows record ${record.follows?.seq}; between: ${record.between}`);
  break;
}
await runtime.close();
