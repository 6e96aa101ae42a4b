import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLab, openModelServer, type Subject, type WrittenKind } from '@native-compaction/conformance';
import { createHeronRuntime } from './runtime.ts';

const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url));
const kinds: Readonly<Record<string, WrittenKind>> = { compact: 'compact', prompt: 'input', cancel: 'cancel', status: 'read' };

/** Heron for the suite: how it is opened, where it keeps its sessions, and what its frames are. */
export const heronSubject: Subject = {
  runtime: 'heron',
  version: '1.0',
  command: [process.execPath, agent],
  createRuntime: ({ executable, ...options }) =>
    createHeronRuntime(
      executable === undefined ? { executable: process.execPath, args: [agent], ...options } : { executable, ...options },
    ),
  async openLab(script) {
    const server = await openModelServer(script, {
      isCompaction: ({ messages }) => messages.at(-1)?.text.startsWith('HERON: write a summary'),
    });
    return createLab(server, (home) => ({ HERON_HOME: home, HERON_URL: server.url }));
  },
  async seed(session) {
    const outcome = await session.send('something to summarize').ended;
    if (outcome !== 'completed') throw new Error(`The prompt ended ${outcome}.`);
  },
  replacements: (lab, nativeId) => readFileSync(join(lab.home, `${nativeId}.jsonl`), 'utf8').match(/"compacted":/g)?.length ?? 0,
  written: (frame) => kinds[String(frame.type)],
  hasGateRead: true,
  foreign: () => ({ type: 'compact', id: crypto.randomUUID() }),
  automatic: { inputTokens: 200_000 },
  toolCall: (file) => ({ tool: 'touch', input: { path: file } }),
  reserved: ['!compact'],
};
