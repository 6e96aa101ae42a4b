import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClaudeRuntime } from '@native-compaction/claude';
import { isNativeCompactionError, REQUIRED_WINDOW } from '@native-compaction/core';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, MODEL, openClaudeBench, recordsSoFar, say } from '../../support/claude.ts';
import { claudeExecutable, versionsOf } from '../../support/vendors.ts';

const scripted = fileURLToPath(new URL('../../support/scripted-claude.mjs', import.meta.url));
chmodSync(scripted, 0o755);

const version = versionsOf('claude')[0] ?? '';
let bench: ClaudeBench;
afterEach(() => bench.close());

/** A session with a scripted process that plays one play on its first message. */
const play = async (name: string, extra: Record<string, string> = {}) => {
  bench = await openClaudeBench(version);
  return bench.open({}, { executable: scripted, env: { PLAY: name, ...extra } });
};

describe('R8 a vendor process that misbehaves', () => {
  test('lines that are no JSON objects change nothing and are recorded', async () => {
    const session = await play('noise');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    const noise = (await recordsSoFar(session)).filter((item) => item.type === 'unparsed').map((item) => item.text);
    expect(noise).toEqual(['not json', 'null', '42', '"text"', '[1]', '{"broken":', '\u2028\u0000\u0007 warning: something']);
  });

  test('E3 an untested version with the whole proof completes; its prompt facts are unknown', async () => {
    const session = await play('proof', { PLAY_VERSION: '9.9.9' });
    expect(await session.compact()).toMatchObject({ status: 'completed', vendorVersion: '9.9.9' });
    expect(session.promptChange).toEqual({ system: 'unknown', append: 'unknown' });
  });

  test('R9 stderr reaches the open error redacted: keys, authorization, URL userinfo and queries, home and hosts', async () => {
    const stderr = `key sk-ant-api03-${'a'.repeat(30)} Authorization: Bearer abcdef123456 at https://user:hunter22@gw.corp.example:8443/v1?api_key=zzz999 in /home/jane/x`;
    const failure = await play('secrets', { PLAY_STDERR: stderr }).catch((error: unknown) => error);
    expect(isNativeCompactionError(failure) && failure.code).toBe('open_failed');
    const text = String(failure);
    for (const secret of ['sk-ant', 'abcdef123456', 'hunter22', 'zzz999', 'jane', 'gw.corp']) expect(text).not.toContain(secret);
    expect(text).toContain('code 3');
  });

  test('T9 a slow required reader holds the wire within its window; one that stops does not stop a compaction', async () => {
    const session = await play('flood');
    const reader = session.records(undefined, { required: true })[Symbol.asyncIterator]();
    session.send('flood me');
    // The reader takes one record a turn of the event loop; an unpaused pipe would run tens of megabytes ahead of it.
    let furthest = 0;
    for (let taken = 1; taken <= 5_000; taken += 1) {
      await reader.next();
      await new Promise((done) => setImmediate(done));
      furthest = Math.max(furthest, session.checkpoint().cursor.seq - taken);
    }
    // A thousand bytes of text a record: the window, and one more megabyte of what was already on its way.
    expect(furthest).toBeGreaterThan(10);
    expect(furthest).toBeLessThan(REQUIRED_WINDOW.bytes / 1_000 + 1_048_576 / 1_000);
    await reader.return?.();
    expect(await session.abort()).toBeUndefined();
  });
});

describe('E4 what cannot be opened', () => {
  const code = async (attempt: Promise<unknown>) => {
    const error = await attempt.catch((reason: unknown) => reason);
    return isNativeCompactionError(error) ? error : undefined;
  };

  test('each bad input is a coded error that says what to do, and nothing is left running', async () => {
    bench = await openClaudeBench(version);
    const missing = await code(bench.open({}, { executable: '/nowhere/claude' }));
    expect(missing?.code).toBe('executable_not_found');
    expect(missing?.message).toContain('Install');
    expect((await code(bench.open({ cwd: '/nowhere' })))?.code).toBe('cwd_not_found');
    expect((await code(bench.open({ cwd: scripted })))?.code).toBe('cwd_not_found');
    const unknown = await code(bench.open({ resume: '11111111-1111-4111-8111-111111111111' }));
    expect(unknown?.code).toBe('resume_failed');
    expect(unknown?.message).toContain('No conversation found');
    for (const options of [{ resume: '--version' }, { resume: 'a title' }, { cwd: '' }, { prompt: { system: 7 } }, { nope: 1 }]) {
      expect((await code(bench.open(options as never)))?.code).toBe('invalid_options');
    }
    expect(() => createClaudeRuntime({ readTimeoutMs: -1 })).toThrow(/readTimeoutMs/);
    for (const options of [{ cwd: '/tmp\0x' }, { model: 'a\0b' }])
      expect((await code(bench.open(options)))?.code).toBe('invalid_options');
    expect(() => createClaudeRuntime({ args: ['a\0b'] })).toThrow(/NUL/);
    expect(() => createClaudeRuntime({ env: { A: 'a\0b' } })).toThrow(/NUL/);
    const silent = await code(bench.open({}, { executable: '/bin/cat', args: [], readTimeoutMs: 300 }));
    expect(['open_timeout', 'open_failed']).toContain(silent?.code);
  });

  test('E1 runtime.close() ends sessions that are still opening, and their processes', async () => {
    bench = await openClaudeBench(version);
    for (const delay of [0, 20, 100]) {
      let pid = 0;
      const runtime = createClaudeRuntime({
        executable: claudeExecutable(version),
        env: bench.env,
        tap: (line) => {
          pid = line.pid;
        },
      });
      const opening = code(runtime.open({ cwd: bench.project }));
      await new Promise((done) => setTimeout(done, delay)); // the moment of the close is what this is about
      await runtime.close();
      expect((await opening)?.code).toBe('runtime_closed');
      if (pid > 0) expect(() => process.kill(pid, 0)).toThrow();
      expect((await code(runtime.open()))?.code).toBe('runtime_closed');
    }
  });

  test('a native session is open once per runtime, and a vendor that refuses the opening says why', async () => {
    bench = await openClaudeBench(version);
    const runtime = createClaudeRuntime({ executable: claudeExecutable(version), env: bench.env });
    const session = await runtime.open({ cwd: bench.project, model: MODEL });
    await say(session, 'hello');
    expect((await code(runtime.open({ cwd: bench.project, resume: session.nativeId })))?.code).toBe('session_held');
    await runtime.close();
    const refused = await code(bench.open({}, { executable: scripted, env: { PLAY: 'refuse' } }));
    expect([refused?.code, refused?.message]).toEqual(['open_failed', 'The vendor refused to open the session: not today']);
  });

  test('T3 E4 a checkpoint and a resume that name different sessions, or none, are errors, and never a guess', async () => {
    bench = await openClaudeBench(version);
    const session = await bench.open();
    await say(session, 'hello');
    const checkpoint = session.checkpoint();
    await session.dispose();
    const { nativeId: _none, ...nameless } = checkpoint;
    expect((await code(bench.open({ checkpoint, resume: '11111111-1111-4111-8111-111111111111' })))?.code).toBe(
      'invalid_options',
    );
    expect((await code(bench.open({ checkpoint: nameless })))?.code).toBe('corrupt_checkpoint');
    for (const nativeId of ['--version', 'some title'])
      expect((await code(bench.open({ checkpoint: { ...checkpoint, nativeId } })))?.code).toBe('invalid_options');
    const again = await bench.open({ checkpoint, resume: session.nativeId });
    expect(again.nativeId).toBe(session.nativeId);
    expect((await recordsSoFar(again))[0]).toMatchObject({ type: 'log_opened', follows: checkpoint.cursor });
  });
});
