// Resume a Codex thread with other instructions: base instructions change at once, developer instructions with a compaction.
import { createCodexRuntime } from '@native-compaction/codex';

const runtime = createCodexRuntime({
  executable: process.env.CODEX_EXECUTABLE ?? 'codex',
  // Codex takes instructions for its summary from its configuration, not with each request.
  config: { compact_prompt: 'Summarize the conversation. Keep every word I asked you to remember.' },
});

const first = await runtime.open({ prompt: { append: 'Answer in English.' } });
await first.send('Remember the word heron.').ended;
await first.dispose();

// Base instructions that are left out here are not taken away: Codex goes back to those the thread began with.
const prompt = { system: 'You are brief.', append: 'Answer in French.' };
const restored = await runtime.open({ resume: first.nativeId, prompt });
console.log(`base instructions: ${restored.promptChange.system}, developer instructions: ${restored.promptChange.append}`);

const result = await restored.compact({ timeoutMs: 120_000 });
if (result.status === 'completed') console.log('the next request carries the new developer instructions');
else if (result.status === 'rejected')
  console.log(`nothing was started: ${result.reason}`); // goal_active: pause the goal first
else console.log(`${result.status}: the old ones may still be in force`);
await runtime.close();
