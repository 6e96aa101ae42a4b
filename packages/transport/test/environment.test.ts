import { describe, expect, test } from 'vitest';
import { childEnvironment, strippedVariables } from '../src/environment.ts';

describe('childEnvironment', () => {
  test('E1 inherits, minus what is meant for another agent; env is laid over it and undefined removes', () => {
    const host = {
      PATH: '/bin',
      PI_PACKAGE_DIR: '/x',
      PI_SESSION_ANYTHING: 'y',
      CLAUDECODE: '1',
      CLAUDE_CONFIG_DIR: '/c',
      CODEX_HOME: '/d',
      PI_CODING_AGENT_DIR: '/e',
      GONE: '1',
    };
    expect(childEnvironment({ GONE: undefined, NEW: '2', PI_PACKAGE_DIR: '/wanted' }, host)).toEqual({
      PATH: '/bin',
      CLAUDE_CONFIG_DIR: '/c',
      CODEX_HOME: '/d',
      PI_CODING_AGENT_DIR: '/e',
      NEW: '2',
      PI_PACKAGE_DIR: '/wanted',
    });
    expect(host.GONE).toBe('1');
  });

  test('E1 the parent keeps its own environment', () => {
    const before = { ...process.env };
    childEnvironment({ PATH: undefined, X: '1' });
    expect({ ...process.env }).toEqual(before);
    expect(strippedVariables).toContain('PI_PACKAGE_DIR');
  });
});
