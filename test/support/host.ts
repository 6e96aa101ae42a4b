import { createClaudeRuntime } from '@native-compaction/claude';

/** A host program of its own: opens a session, says the vendor's process id, sends a prompt and waits to be killed. */
const [executable = '', cwd = ''] = process.argv.slice(2);
if (process.env.KEEP_ON_SIGINT) process.on('SIGINT', () => process.stdout.write('interrupted\n'));
let pid = 0;
const runtime = createClaudeRuntime({
  executable,
  tap: (line) => {
    pid = line.pid;
  },
});
const session = await runtime.open({ cwd, model: 'claude-sonnet-4-5' });
process.stdout.write(`${pid}\n`);
session.send('a prompt that hangs');
