import { createPiSdkRuntime } from '@native-compaction/pi/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { answerFrame, toFrame } from '../src/sdk/frames.ts';

describe('a frame of what JSON has no word for', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  test.each<[string, unknown, unknown]>([
    ['a BigInt', { n: 10n }, { n: '10' }],
    ['a cycle', circular, { self: { unreadable: true } }],
    ['a function beside a BigInt', { n: 1n, run: () => 1, list: [1n, undefined] }, { n: '1', run: undefined, list: ['1', null] }],
  ])('%s: everything else is kept', (_what, details, expected) => {
    const result = { summary: 'S', details };
    const told = toFrame({ type: 'compaction_end', reason: 'manual', aborted: false, result });
    expect(told).toEqual({
      type: 'compaction_end',
      reason: 'manual',
      aborted: false,
      result: { summary: 'S', details: expected },
    });
    expect(answerFrame('a', 'compact', result)).toMatchObject({ id: 'a', command: 'compact', success: true });
  });

  test('a member that throws', () => {
    const details = {
      n: 1n,
      get broken() {
        throw new Error('no');
      },
    };
    const told = toFrame({ type: 'compaction_end', reason: 'manual', aborted: false, result: { summary: 'S', details } });
    expect(told).toMatchObject({ aborted: false, result: { summary: 'S', details: { unreadable: true } } });
  });
});

describe('attach() to what is no session', () => {
  test.each([null, undefined, 7, 'x', {}, { sessionId: 'a' }, { sessionId: 'a', subscribe: () => () => undefined }])(
    '%o: invalid_options',
    async (given) => {
      await expect(createPiSdkRuntime().attach(given as never)).rejects.toMatchObject({ code: 'invalid_options' });
    },
  );
});

describe('E1 loaders of the host that overlap', () => {
  afterEach(() => {
    delete process.env.PI_PACKAGE_DIR;
  });

  test('none sees the variable, and it is there again afterwards', async () => {
    process.env.PI_PACKAGE_DIR = '/branded';
    const seen: unknown[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const opened = gates.map(({ promise }) => {
      const sdk = async () => {
        await promise;
        seen.push(process.env.PI_PACKAGE_DIR);
        throw new Error('enough');
      };
      return createPiSdkRuntime({ sdk })
        .open()
        .catch(() => undefined);
    });
    gates[0]?.resolve();
    await opened[0];
    expect(process.env.PI_PACKAGE_DIR).toBeUndefined();
    gates[1]?.resolve();
    await opened[1];
    expect(seen).toEqual([undefined, undefined]);
    expect(process.env.PI_PACKAGE_DIR).toBe('/branded');
  });
});

describe('R9 what the host hands in', () => {
  const pi = { createAgentSession: async () => ({}) };
  test.each<[string, object]>([
    ['an object with one of the names', pi],
    ['a function that gives nothing', async () => undefined],
    ['createAgentSession itself', pi.createAgentSession],
  ])('%s: invalid_options, naming the module', async (_what, sdk) => {
    const opening = createPiSdkRuntime({ sdk: sdk as never }).open();
    await expect(opening).rejects.toMatchObject({ code: 'invalid_options', message: expect.stringContaining('pi-coding-agent') });
  });

  test('T8 permissions are refused, since Pi would ask for none', async () => {
    const opening = createPiSdkRuntime({ sdk: pi as never }).open({ permissions: () => 'deny' } as never);
    await expect(opening).rejects.toMatchObject({ code: 'invalid_options', message: expect.stringContaining('every tool') });
  });

  const never = () => new Promise<never>(() => undefined);
  const module = Object.fromEntries(
    ['createAgentSession', 'getAgentDir', 'SessionManager', 'ModelRuntime', 'SettingsManager', 'DefaultResourceLoader'].map(
      (name) => [name, never],
    ),
  );
  test.each<[string, object]>([
    ['a loader', { sdk: never }],
    ['sessionOptions', { sdk: module, sessionOptions: never }],
  ])('%s that never ends: open_timeout, and close() does not wait for it', async (_what, options) => {
    const runtime = createPiSdkRuntime({ ...options, readTimeoutMs: 20 } as never);
    await expect(runtime.open()).rejects.toMatchObject({ code: 'open_timeout' });
    const patient = createPiSdkRuntime(options as never);
    const opening = expect(patient.open()).rejects.toMatchObject({ code: 'runtime_closed' });
    await patient.close();
    await opening;
  });
});
