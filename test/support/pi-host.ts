import { createPiRpcRuntime } from '@native-compaction/pi/rpc';

/** A host program of its own: opens Pi with a prompt, says the process id of Pi, compacts and waits to be killed. */
const [executable = '', cwd = '', model = ''] = process.argv.slice(2);
let pid = 0;
const runtime = createPiRpcRuntime({
  executable,
  tap: (line) => {
    pid = line.pid;
  },
});
const session = await runtime.open({ cwd, model, prompt: { system: 'SYSTEM', append: 'APPEND' } });
for (const text of ['first', 'second']) await session.send(`${text} ${'word '.repeat(40)}`).ended;
process.stdout.write(`${pid}\n`);
await session.compact();
