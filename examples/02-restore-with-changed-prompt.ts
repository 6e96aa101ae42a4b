// Resume a session with another prompt. On Claude Code the new text takes effect only after a compaction that happened.
import { createClaudeRuntime } from '@native-compaction/claude';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const model = process.env.CLAUDE_MODEL;

const first = await runtime.open({ model, prompt: { append: 'Answer in English.' } });
await first.send('Hello.').ended;
await first.dispose();

const restored = await runtime.open({ model, resume: first.nativeId, prompt: { append: 'Answer in French.' } });
console.log(`a changed append prompt is in effect ${restored.promptChange.append}`);
const result = restored.promptChange.append === 'at-next-compaction' ? await restored.compact() : undefined;
console.log(result?.status === 'completed' ? 'the next request carries the new prompt' : 'the old prompt may still be in force');
await runtime.close();
