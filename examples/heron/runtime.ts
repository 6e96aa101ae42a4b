import {
  createRedactor,
  createRuntime,
  type ManualCompaction,
  type OpenOptions,
  openOptionsShape,
  openSession,
  parseOptions,
  type Runtime,
  type RuntimeOptions,
  runtimeOptionsShape,
  type SessionSetup,
} from '@native-compaction/core';
import { childEnvironment, connectJsonLines, optional, type Tap } from '@native-compaction/transport';
import { z } from 'zod';
import { heronMachine } from './machine.ts';
import type { HeronFacts, HeronIn, HeronOut, HeronState } from './state.ts';

export interface HeronOptions extends RuntimeOptions {
  readonly tap?: Tap | undefined;
}

/** What is declared must be shown: the suite holds this against what Heron does. */
const manualCompaction: ManualCompaction = {
  instructions: 'per-request',
  promptChange: { system: 'at-resume', append: 'at-resume' },
  cancellation: 'native',
  testedVersions: ['1.0'],
};
const openSchema = z.strictObject({ ...openOptionsShape, resume: z.guid().optional() });
const optionsSchema = z.strictObject({
  ...runtimeOptionsShape,
  tap: z.custom<Tap>((value) => typeof value === 'function').optional(),
});
type Setup = SessionSetup<HeronIn, HeronOut, HeronState, HeronFacts>;

/** The runtime for Heron; `alter` lets a test put something else in the place of a part. */
export function createHeronRuntime(raw: HeronOptions = {}, alter = (setup: Setup) => setup): Runtime<OpenOptions> {
  const options: HeronOptions = parseOptions(optionsSchema, raw, 'createHeronRuntime()');
  const { executable = 'heron', args = [], env, tap } = options;
  return createRuntime<OpenOptions>({
    id: 'heron',
    manualCompaction,
    options,
    parseOpenOptions: (open) => parseOptions(openSchema, open, 'open()'),
    async connect({ cwd = process.cwd(), resume, prompt }, common) {
      const environment = childEnvironment(env);
      const redactor = createRedactor(environment);
      const wire = await connectJsonLines({ executable, args, cwd, env: environment, redactor, tap });
      const setup: Setup = {
        ...common,
        runtime: 'heron',
        machine: heronMachine,
        facts: { ...optional('session', resume), ...optional('system', prompt?.system), ...optional('append', prompt?.append) },
        wire,
        redactor,
        manualCompaction,
        promptChange: () => manualCompaction.promptChange,
        reservedCommand: (content) => (content.startsWith('!compact') ? 'Call session.compact() instead.' : undefined),
      };
      return openSession(alter(setup));
    },
  });
}
