// Show a conversation from the session's ordered, redacted records, and fold the same records into a resumable state.
import { createClaudeRuntime } from '@native-compaction/claude';
import { initialView, reduceView, statusValue } from '@native-compaction/core';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const session = await runtime.open({ model: process.env.CLAUDE_MODEL });
session.send('Hello.');

let view = initialView;
for await (const record of session.records()) {
  view = reduceView(view, record);
  if (record.type === 'input_accepted') console.log(`> ${record.text}`);
  if (record.type === 'assistant_text') console.log(`< ${record.text}`);
  if (record.type === 'turn_ended' && record.kind === 'prompt') void session.compact({ requestId: 'tidy' });
  if (record.type === 'compaction_ended') console.log(`compaction ${record.requestId} ${record.outcome}`);
  if (record.type === 'idle' && view.statusState.lastOutcome) console.log(`status ${statusValue(view.statusState).state}`);
  if (record.type === 'compaction_ended') break;
}
// Persist the whole checkpoint; `open({ checkpoint })` resumes the native session from it.
console.log(JSON.stringify(session.checkpoint()).length > 0 ? 'checkpoint taken' : '');
await runtime.close();
