// Stop waiting, or cancel: two different things. A timeout leaves the native operation running and its slot taken.
import { createClaudeRuntime } from '@native-compaction/claude';

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const session = await runtime.open({ model: process.env.CLAUDE_MODEL });
await session.send('Hello.').ended;

const first = await session.compact({ timeoutMs: 0, requestId: 'impatient' });
console.log(`${first.status}: Claude goes on, and inputs wait for it`);
const next = session.send('This is delivered after the compaction.');
for await (const record of session.records()) {
  if (record.type !== 'compaction_ended' || record.requestId !== 'impatient') continue;
  console.log(`later it ${record.outcome}${record.late ? ', too late for the caller' : ''}`);
  break;
}
await next.ended;

session.on('record', (record) => record.type === 'compaction_dispatched' && void session.abort());
const second = await session.compact();
console.log(`${second.status}${second.status === 'aborted' ? ` by the ${second.by}` : ''}`);
await runtime.close();
