import { openScripted, recordsSoFar } from '@native-compaction/conformance';
import type { CompactionResult, CompactOptions } from '@native-compaction/core';
import type { JsonObject } from '@native-compaction/transport';
import type { CodexIn, CodexOut } from '../../src/frames.ts';
import { codexMachine } from '../../src/machine.ts';
import { promptChangeOf, testedVersions } from '../../src/options.ts';
import { codexManualCompaction } from '../../src/runtime.ts';
import type { CodexFacts, CodexState } from '../../src/state.ts';
import { native } from './native.ts';

/** A real session over a scripted app-server that has opened a thread and answers what the gate asks. */
export async function openPeer(facts: Partial<CodexFacts> = {}) {
  const thread = { cwd: '/', prompt: {} };
  const scripted = await openScripted<CodexIn, CodexOut, CodexState, CodexFacts>(
    {
      runtime: 'codex',
      machine: codexMachine,
      facts: { thread, experimentalApi: false, testedVersions, ...facts },
      manualCompaction: codexManualCompaction,
      promptChange: (version) => promptChangeOf(version, {}),
    },
    (peer) => {
      for (const frame of native.opening()) peer.send(frame);
    },
  );
  const { session, peer } = scripted;
  const written = (method: string) => peer.written.filter((frame) => frame.method === method);
  const idOf = (method: string) => String(written(method).at(-1)?.id);
  peer.onWrite((frame) => {
    if (frame.method === 'thread/goal/get') queueMicrotask(() => peer.send(native.result(String(frame.id), { goal: null })));
  });
  return { ...scripted, written, idOf, records: () => recordsSoFar(session) };
}

/** A compaction that was just written; `play` plays frames and gives the result if one has come. */
export async function dispatch(options: CompactOptions = {}, facts: Partial<CodexFacts> = {}) {
  const opened = await openPeer(facts);
  let result: CompactionResult | undefined;
  const pending = opened.session.compact({ requestId: 'ours', ...options }).then((settled) => {
    result = settled;
    return settled;
  });
  const quiet = () => new Promise((done) => setImmediate(done));
  await quiet();
  const id = opened.idOf('thread/compact/start');
  const play = async (...frames: readonly JsonObject[]) => {
    for (const frame of frames) opened.peer.send(frame);
    await quiet();
    return result;
  };
  return { ...opened, pending, id, play };
}
