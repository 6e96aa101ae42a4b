import { type RecordedLine, type Replayed, readRecordings, replayRecording } from '@native-compaction/conformance';
import type { Ref } from '@native-compaction/core';
import { type JsonObject, text } from '@native-compaction/transport';
import { codexMachine } from '../../src/machine.ts';
import { testedVersions } from '../../src/options.ts';

/** Every recording of the real CLIs, by version and scenario. */
export const recordings = () => readRecordings(new URL('../fixtures/', import.meta.url));

export function replay(lines: readonly RecordedLine[]): Replayed {
  const facts = { thread: { cwd: '/project', prompt: {} }, experimentalApi: false, testedVersions };
  return replayRecording(codexMachine, facts, lines, refOf);
}

const kinds: Readonly<Record<string, Ref['kind']>> = {
  'thread/compact/start': 'compact',
  'turn/start': 'input',
  'turn/interrupt': 'cancel',
  'turn/steer': 'probe',
  'thread/goal/get': 'read',
  'thread/queue/list': 'read',
};

/** On whose behalf a recorded frame was written, read off its method. */
function refOf(frame: JsonObject): Ref {
  const id = String(frame.id ?? '');
  const method = text(frame.method);
  return { kind: method === undefined ? 'answer' : (kinds[method] ?? 'open'), id };
}
