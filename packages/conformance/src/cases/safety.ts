import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionCallback } from '@native-compaction/core';
import type { ConformanceCase } from '../case.ts';
import { needsProcess } from '../case.ts';
import { isAlive, processesOf, recordsSoFar, say } from '../following.ts';
import { answered, pidOf } from '../trial.ts';
import { codeOf } from './results.ts';

const key = `sk-ant-api03-${'Zq9'.repeat(12)}`;
const token = 'gateway-token-value';

const secrets: ConformanceCase = {
  title: 'planted secrets leave nowhere: results, records, captures, checkpoints, errors',
  requirements: ['redacted', 'raw-frames'],
  async run(trial) {
    const session = await trial.openSeeded({ deltas: true }, { env: { MY_GATEWAY_TOKEN: token } });
    const heard: unknown[] = [];
    session.on('record', (item) => void heard.push(item));
    const secret = trial.subject.command ? `${key} and ${token}` : key;
    trial.lab.server.script((request) =>
      request.isCompaction ? { status: 400, message: `bad key ${secret}` } : { text: `it is ${secret}` },
    );
    await say(session, `my key is ${secret}`);
    const failed = await session.compact();
    trial.lab.server.script((request) => ({ text: request.isCompaction ? `<summary>the key is ${secret}</summary>` : 'fine' }));
    await say(session, 'go on');
    const completed = await session.compact();
    trial.like('redacted', [failed.status, completed.status], ['failed', 'completed']);
    await say(session, 'and on');
    const launch = { env: { MY_GATEWAY_TOKEN: token } };
    const refused = await trial
      .open({ resume: '11111111-1111-4111-8111-111111111111' }, launch)
      .catch((error: Error) => [error.message, error.stack, error]);
    const everything = JSON.stringify([
      refused,
      heard,
      failed,
      completed,
      trial.lines,
      await recordsSoFar(session),
      session.checkpoint(),
      session.status(),
    ]);
    for (const planted of [key, ...(trial.subject.command ? [token, 'dummy-key-for-loopback'] : [])])
      trial.holds('redacted', !everything.includes(planted), `${planted.slice(0, 6)}… left the library`);
    const raw = Array.from({ length: 400 }, (_none, at) => JSON.stringify(session.frame(at + 1)?.native ?? ''));
    trial.holds('raw-frames', raw.join().includes(key), 'frame() gives what passed the wire, and it is not there');
  },
};

const permissions: ConformanceCase = {
  title: 'a tool is asked about: allowed it runs; denied, and with nobody to ask, it does not; a compaction follows',
  requirements: ['asked-and-answered'],
  exempts: ({ toolCall }) => (toolCall ? undefined : 'The vendor asks nobody about its tools.'),
  async run(trial) {
    const answers: Record<string, PermissionCallback | undefined> = {
      allowed: () => 'allow',
      denied: () => ({ deny: 'not today' }),
      thrown: () => {
        throw new Error('a fault of the host');
      },
      alone: undefined,
    };
    for (const [name, permission] of Object.entries(answers)) {
      const file = join(trial.lab.project, `made-${name}`);
      trial.lab.server.script((request) =>
        JSON.stringify(request.messages.at(-1)).includes(`use the tool ${name}`)
          ? (trial.subject.toolCall?.(file) ?? { text: '' })
          : answered(request),
      );
      const session = await trial.open(permission ? { permissions: permission } : {});
      await session.send(`use the tool ${name}`).ended;
      trial.like('asked-and-answered', existsSync(file), name === 'allowed');
      const told = (await recordsSoFar(session)).flatMap((item) => (item.type === 'permission_answered' ? [item.decision] : []));
      trial.like('asked-and-answered', told, [name === 'allowed' ? 'allow' : 'deny']);
      await session.dispose();
    }
  },
};

const unanswered: ConformanceCase = {
  title: 'a question that its host never answers is let go when the turn is aborted, and the tool does not run',
  requirements: ['asked-and-answered'],
  exempts: permissions.exempts,
  async run(trial) {
    const file = join(trial.lab.project, 'never-made');
    trial.lab.server.script(() => trial.subject.toolCall?.(file) ?? { text: '' });
    const asked = Promise.withResolvers<AbortSignal>();
    const session = await trial.open({
      permissions: ({ signal }) => {
        asked.resolve(signal);
        return new Promise(() => undefined);
      },
    });
    const input = session.send('use the tool');
    const signal = await asked.promise;
    trial.like('asked-and-answered', signal.aborted, false);
    await session.abort();
    trial.like('asked-and-answered', await input.ended, 'aborted');
    trial.like('asked-and-answered', [signal.aborted, existsSync(file)], [true, false]);
  },
};

/** A trial has made a runtime already when its case begins, so that the environment is kept by `openTrial`. */
export const surroundings: ConformanceCase = {
  title: 'the host keeps its environment; dispose twice, and close() with sessions open, leave no process',
  requirements: ['own-environment', 'no-process-left', 'allowed-variables'],
  async run(trial) {
    const { env } = trial.lab;
    const handed = Object.keys(env).filter((name) => env[name] !== undefined && env[name] === process.env[name]);
    trial.holds('allowed-variables', !handed.some((name) => /KEY|TOKEN|SECRET/.test(name)), `${handed} are the host's own`);
    const session = await trial.openSeeded();
    const first = pidOf(trial.lines);
    await session.compact();
    await Promise.all([session.dispose(), session.dispose()]);
    await trial.openSeeded();
    const second = pidOf(trial.lines);
    await trial.closeRuntimes();
    const names = Object.keys({ ...process.env, ...trial.hostEnvironment });
    trial.like(
      'own-environment',
      names.filter((name) => process.env[name] !== trial.hostEnvironment[name]), // never what they hold
      [],
    );
    if (!trial.subject.command) return trial.holds('no-process-left', true, '');
    for (const pid of [first, second]) trial.holds('no-process-left', !isAlive(pid), `process ${pid} is still there`);
    trial.like('no-process-left', processesOf(trial.lab.home), []);
  },
};

const opening: ConformanceCase = {
  title: 'what cannot be opened is a coded error that says what to do',
  requirements: ['opening-errors'],
  async run(trial) {
    const { subject, lab } = trial;
    for (const options of [{ cwd: '' }, { prompt: { system: 7 } }, { nope: 1 }, { model: 'a\0b' }, { resume: '--version' }])
      trial.like('opening-errors', await codeOf(() => trial.open(options as never)), 'invalid_options');
    trial.like('opening-errors', await codeOf(() => trial.open({ cwd: join(lab.project, 'nowhere') })), 'cwd_not_found');
    const unknown = '11111111-1111-4111-8111-111111111111';
    trial.like('opening-errors', await codeOf(() => trial.open({ resume: unknown })), 'resume_failed');
    const runtime = subject.createRuntime({ env: lab.env }, lab);
    await runtime.close();
    trial.like('opening-errors', await codeOf(() => runtime.open()), 'runtime_closed');
    if (!subject.command) return;
    const executable = join(lab.home, 'nowhere');
    trial.like('opening-errors', await codeOf(() => trial.open({}, { executable })), 'executable_not_found');
  },
};

const oversize: ConformanceCase = {
  title: 'a line of 64 MB in the middle is dropped and told, and completes nothing',
  requirements: ['oversize'],
  exempts: needsProcess,
  async run(trial) {
    const { session } = await trial.openProxied([[{ kind: 'oversize', frame: 2, value: 0 }]]);
    const result = await session.compact({ timeoutMs: 10_000 });
    trial.holds('oversize', result.status !== 'completed', 'completed with a frame that nobody read');
    const dropped = (await recordsSoFar(session)).filter(({ type }) => type === 'oversize');
    trial.like('oversize', dropped, [{ bytes: (bytes: number) => bytes > 67_108_864 }]);
  },
};

export const safetyCases: readonly ConformanceCase[] = [secrets, permissions, unanswered, opening, oversize];
