import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Contest, type Contestant, floodLine } from './contestant.ts';

/** The last frame of the traffic, or the answer to the call that asked for it. */
const isLast = (frame: { type?: string; result?: unknown }) => frame.type === 'result' || frame.result !== undefined;

/** A contestant that only reads lines in its own way and parses each one. */
export function readingLines(read: (stdout: Readable, onLine: (line: string) => void) => void, isRpc = false): Contestant {
  return {
    framing: isRpc ? 'rpc' : 'lines',
    async open(vendor) {
      const child = spawn(vendor.executable, [], { stdio: 'pipe' });
      let onLast: (frames: number) => void = () => undefined;
      let frames = 0;
      read(child.stdout, (line) => {
        const frame = JSON.parse(line);
        frames += 1;
        if (isLast(frame)) onLast(frames - 1);
      });
      return contestOf(child, (resolve) => {
        onLast = resolve;
        child.stdin.write(isRpc ? '{"jsonrpc":"2.0","id":1,"method":"flood"}\n' : floodLine);
      });
    },
  };
}

function contestOf(child: ChildProcessWithoutNullStreams, start: (resolve: (frames: number) => void) => void): Contest {
  return { flood: () => new Promise(start), close: () => void child.kill() };
}

/** Newlines found in the buffers, each line decoded once: what any reader of lines must at least do. */
export function splitBuffers(stdout: Readable, onLine: (line: string) => void): void {
  let parts: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      if (parts.length === 0) onLine(chunk.utf8Slice(start, at));
      else {
        parts.push(chunk.subarray(start, at));
        const whole = Buffer.concat(parts);
        parts = [];
        onLine(whole.utf8Slice(0, whole.length));
      }
      start = at + 1;
    }
    if (start < chunk.length) parts.push(start === 0 ? chunk : chunk.subarray(start));
  });
}

declare global {
  interface Buffer {
    utf8Slice(start: number, end: number): string;
  }
}
