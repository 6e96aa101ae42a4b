// Resume a session with another prompt in one call, and know of each part whether the next request carries it.
import { createClaudeRuntime } from '@native-compaction/claude';
import { restoreSession } from '@native-compaction/restore';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const model = process.env.CLAUDE_MODEL;

const first = await runtime.open({ model, prompt: { append: 'Answer in English.' } });
await first.send('Hello.').ended;
await first.dispose();

const prompt = { append: 'Answer in French.' };
const restored = await restoreSession(runtime, {
  model,
  resume: first.nativeId,
  prompt,
  compact: 'when-needed',
  timeoutMs: 120_000,
});
const session = restored.session;

console.log(`compaction: ${restored.compaction?.status ?? 'not needed'}`);
if (restored.prompt.append === 'in-effect') await session.send('How are you?').ended;
else console.log(`do not send yet: the new prompt is ${restored.prompt.append}`);
console.log(`append: ${restored.prompt.append}`);
await runtime.close();
