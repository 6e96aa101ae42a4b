import { optional } from '@native-compaction/transport';
import type { PiOut } from './frames.ts';

/** Pi's own RPC commands; in process the wire carries the same ones out by calling the session. */
export function stateFrame(id: string): PiOut {
  return { id, type: 'get_state' };
}

export function promptFrame(id: string, message: string): PiOut {
  return { id, type: 'prompt', message };
}

export function compactFrame(id: string, instructions: string | undefined): PiOut {
  return { id, type: 'compact', ...optional('customInstructions', instructions) };
}

/** Ends whatever runs, so it is written only when that is ours; before `compaction_start` it does nothing (1.4.0 to 1.6.0). */
export function abortFrame(id: string): PiOut {
  return { id, type: 'abort' };
}

/** The vendor's own cancel of a dialog that an extension opened. */
export function cancelDialogFrame(id: string): PiOut {
  return { type: 'extension_ui_response', id, cancelled: true };
}
