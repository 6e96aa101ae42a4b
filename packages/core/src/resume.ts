import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { NativeCompactionError } from './errors.ts';

/** Which native session `open()` resumes, if any: `resume` and `checkpoint` name the same one, or there is no guess (T3). */
export function toResume(
  { resume, checkpoint: given }: { readonly resume?: string | undefined; readonly checkpoint?: unknown },
  runtime: string,
): { readonly resume?: string; readonly checkpoint?: Checkpoint } {
  if (given === undefined) return resume === undefined ? {} : { resume };
  const checkpoint = parseCheckpoint(given, runtime);
  const { nativeId } = checkpoint;
  if (nativeId === undefined) {
    const message = 'The checkpoint names no native session: it was taken before there was one. Open without it.';
    throw new NativeCompactionError('corrupt_checkpoint', message);
  }
  if (resume !== undefined && resume !== nativeId) {
    const message = `The session asked for is ${resume}, and the checkpoint is of ${nativeId}. Give one of them.`;
    throw new NativeCompactionError('invalid_options', message);
  }
  return { resume: nativeId, checkpoint };
}
