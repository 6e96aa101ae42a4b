import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Rounds } from './faults/plan.ts';
import { type Action, createFaultStream } from './faults/stream.ts';

/** What the proxy's own process is started with. */
export interface FaultProgram {
  readonly command: readonly [string, ...string[]];
  /** Where the test listens, on loopback. */
  readonly port: number;
  readonly rounds: Rounds;
}

/** What the test tells the program: a line of somebody else for the vendor, or what becomes of the oldest waiting line. */
export interface Order {
  readonly inject?: string;
  readonly pass?: 'line' | 'command' | 'nothing';
}

/** The program that stands between the library and a real CLI: passes bytes, and disturbs those that the plan names. */
export function runFaultProgram({ command: [executable, ...first], port, rounds }: FaultProgram): void {
  const child = spawn(executable, [...first, ...process.argv.slice(2)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const control = connect(port, '127.0.0.1');
  control.on('error', () => undefined);
  const tell = (fact: object) => void control.write(`${JSON.stringify(fact)}\n`);

  let code = 0;
  const exit = () => {
    child.kill('SIGKILL');
    control.end(() => process.exit(code));
  };
  const queue: Action[] = [];
  let isBusy = false;
  const drain = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let action = queue.shift(); action; action = queue.shift()) await perform(action, exit);
    isBusy = false;
  };
  const stream = createFaultStream(
    rounds,
    (action) => {
      queue.push(action);
      void drain();
    },
    (injected) => tell({ injected }),
  );
  child.stdout.on('data', createLines(stream.line));
  child.stdin.on('error', () => undefined);
  child.on('error', exit);
  child.on('close', (childCode, signal) => {
    code = signal ? 1 : (childCode ?? 1);
    stream.end();
  });

  // The test is told of every line to the vendor, and says when it may pass and whether a round begins with it.
  const waiting: Buffer[] = [];
  let hasEnded = false;
  const endWhenPassed = () => {
    if (hasEnded && waiting.length === 0) child.stdin.end();
  };
  process.stdin.on(
    'data',
    createLines((line) => {
      waiting.push(line);
      tell({ asked: line.toString('utf8') });
    }),
  );
  process.stdin.on('end', () => {
    hasEnded = true;
    endWhenPassed();
  });
  control.on(
    'data',
    createLines((line) => {
      const said = JSON.parse(line.toString('utf8')) as Order;
      if (said.inject !== undefined) child.stdin.write(`${said.inject}\n`);
      if (said.pass === undefined) return;
      if (said.pass === 'command') stream.arm();
      const next = waiting.shift();
      if (next && said.pass !== 'nothing') child.stdin.write(Buffer.concat([next, Buffer.from('\n')]));
      endWhenPassed();
    }),
  );
  control.on('close', exit);
}

async function perform(action: Action, exit: () => void): Promise<void> {
  if ('end' in action) exit();
  else if ('waitMs' in action) await new Promise((done) => setTimeout(done, action.waitMs));
  else if ('bytes' in action) await write(action.bytes);
  else for (let left = action.blank; left > 0; left -= MEGABYTE) await write(Buffer.alloc(Math.min(left, MEGABYTE), 'x'));
}

const MEGABYTE = 1_048_576;

function write(bytes: Buffer): Promise<unknown> {
  return new Promise((done) => process.stdout.write(bytes, done));
}

function createLines(onLine: (line: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      onLine(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
    }
  };
}
