import { z } from 'zod';
import { parseCheckpoint } from './checkpoint.ts';
import type { ControlState } from './control-state.ts';
import { NativeCompactionError } from './errors.ts';
import { type Finding, type UnknownReason, unknownFinding } from './finding.ts';
import { parseOptions } from './parse-options.ts';
import type { Runtime } from './runtime.ts';
import { findControl } from './status.ts';

/** The answer of `reconcile()`. */
export type Reconciled = Finding & { readonly requestId: string; readonly runtime: string; readonly nativeId?: string };

const runtimeSchema = z.custom(
  (value) => typeof (value as { id?: unknown } | null)?.id === 'string',
  'the first argument must be a runtime',
);
const optionsSchema = z.strictObject({ checkpoint: z.unknown(), requestId: z.string().min(1) });

/**
 * Says from the vendor's own files what became of one compaction that a checkpoint knows of, after a crash of the vendor or of
 * the host. Only that operation counts: an older, a later, an automatic or a foreign one proves nothing, and on a version that
 * was not tested neither does the absence of any. Run it where the
 * vendor ran, since it also looks whether that process is gone. Rejects with `invalid_options`, a code of the checkpoint's, or
 * `unknown_request` when the checkpoint does not know the request.
 */
export async function reconcile(
  runtime: Pick<Runtime<never>, 'id' | 'manualCompaction' | 'reconcile'>,
  options: { readonly checkpoint: unknown; readonly requestId: string },
): Promise<Reconciled> {
  parseOptions(runtimeSchema, runtime, 'reconcile()');
  const { requestId, checkpoint: given } = parseOptions(optionsSchema, options, 'reconcile()');
  const { nativeId, view } = parseCheckpoint(given, runtime.id);
  const control = findControl(view.statusState, requestId);
  if (!control) {
    const message = `reconcile(): the checkpoint knows no compaction "${requestId}". Take the checkpoint after the request, or pass the newer one.`;
    throw new NativeCompactionError('unknown_request', message);
  }
  const named = { requestId, runtime: runtime.id };
  const silent = (reason: UnknownReason) => ({ ...named, context: 'unknown' as const, reason, evidence: [] });
  if (nativeId === undefined) return silent('no_source');
  if (!runtime.reconcile) return { ...silent('unsupported'), nativeId };
  const finding = await runtime.reconcile({ nativeId, control }).catch(toUnreadable);
  return { ...named, nativeId, ...(isShown(finding, control, runtime) ? finding : toUntested(finding)) };
}

/** A mark that is there is read as it is; that one is missing says something only where it is known what the version writes. */
function isShown({ context }: Finding, { vendorVersion }: ControlState, runtime: Pick<Runtime<never>, 'manualCompaction'>) {
  if (context !== 'unchanged') return true;
  return vendorVersion !== undefined && runtime.manualCompaction?.testedVersions.includes(vendorVersion) === true;
}

/** The system does not let us read what is there. */
function toUnreadable(error: unknown): Finding {
  if (typeof (error as { syscall?: unknown } | null)?.syscall === 'string') return unknownFinding('unreadable');
  throw error;
}

function toUntested({ evidence }: Finding): Finding {
  return unknownFinding('untested_version', evidence);
}
