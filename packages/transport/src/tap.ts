import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { NativeCompactionError, type Redactor, thrownText } from '@native-compaction/core';
import { Unparsed } from './json-lines.ts';
import { toNative } from './line-frame.ts';

/** One line of a capture: what passed the wire, redacted. `in` came from the vendor, `out` went to it. */
export interface TapLine {
  /** Milliseconds since the wire was connected. */
  readonly t: number;
  readonly pid: number;
  readonly dir: 'in' | 'out' | 'end';
  readonly frame: unknown;
}

/** Receives every line of a capture. One that throws is warned of and not called again; the session goes on. */
export type Tap = (line: TapLine) => void;

/** Redacts and times what passes one wire. `present` takes out what cannot be redacted frame by frame, such as deltas. */
export function createTap(
  tap: Tap | undefined,
  redactor: Redactor,
  pid: number,
  present: (frame: unknown) => unknown = (frame) => frame,
): (dir: TapLine['dir'], frame: unknown) => void {
  if (!tap) return notTapped;
  const start = performance.now();
  let current: Tap | undefined = tap;
  return (dir, frame) => {
    if (!current) return;
    const native =
      frame instanceof Unparsed ? { unparsed: frame.kind, text: frame.text, bytes: frame.bytes } : present(toNative(frame));
    try {
      current({ t: Math.round(performance.now() - start), pid, dir, frame: redactor.value(native) });
    } catch (error) {
      current = undefined;
      process.emitWarning(`A tap threw and is not called again: ${redactor.message(thrownText(error))}`, {
        code: 'NATIVE_COMPACTION_TAP',
      });
    }
  };
}

function notTapped(): void {}

/** A capture file of JSON lines. It is created 0600 and must not exist, so that nothing is written through a link (E4). */
export function createCaptureFile(path: string): {
  readonly tap: Tap;
  /** Writes a line of the host's own, as it is. */
  add(line: object): void;
  close(): void;
} {
  const file = createPrivateFile(path, 'the capture file');
  const add = (line: object) => void writeSync(file, `${JSON.stringify(line)}\n`);
  return { tap: add, add, close: () => closeSync(file) };
}

/** Creates a file 0600 that must not exist, and never through a link (E4); gives its descriptor. Throws `capture_failed`. */
export function createPrivateFile(path: string, what: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === 'EEXIST' ? `${code}: something of that name is there already` : code;
    const message = `Cannot create ${what} ${path} (${why}). Name a new file in a folder that exists.`;
    throw new NativeCompactionError('capture_failed', message, { cause });
  }
}
