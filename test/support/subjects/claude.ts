import { createClaudeRuntime } from '@native-compaction/claude';
import { createClaudeSubject, type Subject } from '@native-compaction/conformance';
import { claudeExecutable } from '../vendors.ts';

/** The pinned Claude Code of one version, for the suite. */
export function claudeSubject(version: string): Subject {
  const executable = claudeExecutable(version);
  return createClaudeSubject({
    version,
    command: [executable],
    createRuntime: (options) => createClaudeRuntime({ executable, ...options }),
  });
}
