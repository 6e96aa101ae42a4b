// A store of one checkpoint in a file: replaced whole or not at all, readable by its owner alone, never through a link.
import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Checkpoint, type ErrorCode, isNativeCompactionError, NativeCompactionError, parseCheckpoint } from '@native-compaction/core'; // biome-ignore format: one import

/** One program writes to a store at a time. What a crash left beside the file is taken away by the next `save`. */
export function openCheckpointFile(file: string) {
  const beside = `${file}.new`;
  const wrong = (code: ErrorCode, why: string) => new NativeCompactionError(code, `${file}: ${why}`);
  return {
    save(checkpoint: Checkpoint): void {
      rmSync(beside, { force: true });
      write(beside, JSON.stringify(checkpoint)); // in the same folder, so that the rename is one step
      renameSync(beside, file);
      flush(dirname(file));
    },

    /**
     * Undefined where there is no file yet. Throws `corrupt_checkpoint` for one that is torn or no file of its own,
     * `foreign_checkpoint` for another runtime's and `newer_checkpoint` for a newer library's; the message names the file.
     */
    load(runtime: string): Checkpoint | undefined {
      try {
        return parseCheckpoint(JSON.parse(read(file)), runtime);
      } catch (error) {
        if (isNativeCompactionError(error)) throw wrong(error.code, error.message);
        if (error instanceof SyntaxError) throw wrong('corrupt_checkpoint', 'it is torn. Resume by the native id instead.');
        const { code } = error as { code?: string };
        if (code === 'ENOENT') return undefined;
        if (code === 'ELOOP') throw wrong('corrupt_checkpoint', 'it is a link, which this store never makes.');
        throw error;
      }
    },
  };
}

/** `wx` fails on whatever is there, a link too. */
function write(file: string, text: string): void {
  using opened = open(file, 'wx');
  writeFileSync(opened.fd, text);
  fsyncSync(opened.fd);
}

function read(file: string): string {
  using opened = open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  return readFileSync(opened.fd, 'utf8');
}

/** The rename itself is on disk once its folder is. */
function flush(folder: string): void {
  using opened = open(folder, 'r');
  fsyncSync(opened.fd);
}

function open(path: string, flags: string | number) {
  const fd = openSync(path, flags, 0o600);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}
