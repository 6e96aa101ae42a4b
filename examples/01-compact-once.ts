// Open a session, do some work, compact it, and act on the one typed result.
import { createClaudeRuntime } from '@native-compaction/claude';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const session = await runtime.open({ cwd: process.cwd(), model: process.env.CLAUDE_MODEL });

await session.send('Remember the word heron.').ended;
const result = await session.compact({ instructions: 'Keep every word I asked you to remember.', timeoutMs: 120_000 });

switch (result.status) {
  case 'completed':
    console.log(`compacted, proven by frames ${result.evidence.map(({ frame }) => frame).join(', ')}`);
    break;
  case 'rejected':
    console.log(`nothing was started: ${result.reason}`);
    break;
  case 'failed':
    console.log(`Claude says it failed: ${result.message ?? result.reason}`);
    break;
  case 'aborted':
    console.log(`cancelled by the ${result.by}, context ${result.context}`);
    break;
  case 'unconfirmed':
    console.log(`not known: ${result.reason}; the context may or may not be compacted`);
    break;
}
await runtime.close();
