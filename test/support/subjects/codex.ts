import { createCodexRuntime } from '@native-compaction/codex';
import { createCodexSubject, type Subject } from '@native-compaction/conformance';
import { codexExecutable } from '../vendors.ts';

/** The pinned Codex of one version, for the suite. */
export function codexSubject(version: string): Subject {
  const executable = codexExecutable(version);
  return createCodexSubject({
    version,
    command: [executable],
    createRuntime: (options) => createCodexRuntime({ executable, ...options }),
  });
}
