import { object } from '@native-compaction/transport';

/**
 * G2: the catalogue of this process must hold exactly one entry named `compact`, and it must be Claude Code's own. A
 * project or user command of that name replaces the builtin one (2.1.316, 2.1.332); the names are case-sensitive.
 */
export function isBuiltinCompact(commands: unknown): boolean {
  if (!Array.isArray(commands)) return false;
  const named = commands.map(object).filter((command) => command?.name === 'compact');
  return named.length === 1 && named[0]?.builtin === true;
}
