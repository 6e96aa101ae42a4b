import { type RecordedLine, type Replayed, readRecordings, replayRecording } from '@native-compaction/conformance';
import type { Ref } from '@native-compaction/core';
import { type JsonObject, text } from '@native-compaction/transport';
import { piMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';
import { OPEN_ID } from '../../src/state.ts';

/** Every recording of the real Pi, over RPC and in process, by version and scenario. */
export const recordings = () => readRecordings(new URL('../fixtures/', import.meta.url));

export function replay(lines: readonly RecordedLine[]): Replayed {
  return replayRecording(piMachine, { deltas: false, testedVersions }, lines, refOf);
}

const kinds: Readonly<Record<string, Ref['kind']>> = {
  compact: 'compact',
  prompt: 'input',
  abort: 'cancel',
  get_state: 'read',
  extension_ui_response: 'answer',
};

/** On whose behalf a recorded frame was written, read off its type. */
function refOf(frame: JsonObject): Ref {
  const id = text(frame.id) ?? '';
  return { kind: id === OPEN_ID ? 'open' : (kinds[text(frame.type) ?? ''] ?? 'answer'), id };
}
