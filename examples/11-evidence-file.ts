// Write the frames and records of a session and the result of its compaction to a file that `native-compaction report` shows.
import { createClaudeRuntime } from '@native-compaction/claude';
import { createEvidenceFile } from '@native-compaction/transport';

// A new file, for one session: what is there already is never written over.
const path = `evidence-${Date.now()}.jsonl`;
const evidence = createEvidenceFile(path);
const { tap, retain } = evidence;
const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude', tap, retain });
const session = await runtime.open({ model: process.env.CLAUDE_MODEL });
evidence.follow(session);
await session.send('Hello.').ended;

const result = await session.compact();
evidence.result(session, result);
await runtime.close();
evidence.close();
console.log(`${result.status}: native-compaction report ${path}`);
