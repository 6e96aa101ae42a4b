import { spawn } from 'node:child_process';

/** The real Pi, whose second answer to `get_state` is an error, or comes only with the third. */
const child = spawn(process.execPath, [process.env.REAL_PI, ...process.argv.slice(2)], { stdio: ['pipe', 'pipe', 'inherit'] });
let states = 0;
let late = '';
let rest = '';
child.stdout.on('data', (chunk) => {
  const lines = `${rest}${chunk}`.split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const frame = JSON.parse(line);
    if (frame.command === 'get_state') states += 1;
    if (frame.command !== 'get_state' || states !== 2) process.stdout.write(`${states === 3 ? late : ''}${line}\n`);
    else if (process.env.STATE === 'silence') late = `${line}\n`;
    else
      process.stdout.write(
        `${JSON.stringify({ id: frame.id, type: 'response', command: 'get_state', success: false, error: 'no' })}\n`,
      );
    if (states === 3) late = '';
  }
});
process.stdin.pipe(child.stdin);
child.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
