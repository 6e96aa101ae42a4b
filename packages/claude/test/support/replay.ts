import { type RecordedLine, type Replayed, readRecordings, replayRecording } from '@native-compaction/conformance';
import type { Ref } from '@native-compaction/core';
import { type JsonObject, object, text } from '@native-compaction/transport';
import { claudeMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';
import { OPEN_ID } from '../../src/state.ts';

/** Every recording of the real CLIs, by version and scenario. */
export const recordings = () => readRecordings(new URL('../fixtures/', import.meta.url));

export function replay(lines: readonly RecordedLine[]): Replayed {
  return replayRecording(claudeMachine, { prompt: {}, testedVersions }, lines, refOf);
}

/** On whose behalf a recorded frame was written, read off its shape. */
function refOf(frame: JsonObject): Ref {
  const id = text(frame.request_id) ?? text(frame.uuid) ?? '';
  const request = object(frame.request);
  if (request?.subtype === 'initialize') return { kind: id === OPEN_ID ? 'open' : 'read', id };
  if (request?.subtype === 'interrupt') return { kind: 'cancel', id };
  if (frame.type === 'control_response') return { kind: 'answer', id: text(object(frame.response)?.request_id) ?? '' };
  const content = text(object(frame.message)?.content) ?? '';
  return { kind: /^\/compact(\s|$)/.test(content) ? 'compact' : 'input', id };
}
