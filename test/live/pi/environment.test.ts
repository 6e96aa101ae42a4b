import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Lab, openPiLab } from '@native-compaction/conformance';
import { createPiRpcRuntime } from '@native-compaction/pi/rpc';
import { createPiSdkRuntime, type PiSdk } from '@native-compaction/pi/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MODEL, quietly, seed } from '../../support/pi.ts';
import { piModule, piScript, versionsOf } from '../../support/vendors.ts';

/** Pi is imported nowhere else in this file, so that the import is the one that a brand would take hold of. */
describe.each(versionsOf('pi'))('the environment of Pi %s', (version) => {
  let lab: Lab;
  let restore: () => void;
  beforeEach(async () => {
    lab = await openPiLab(undefined, { key: 'dummy-key-for-loopback' });
    lab.write('~/branded/package.json', {
      name: 'other',
      version: '9.9.9',
      piConfig: { name: 'otherpi', configDir: '.otherpi' },
    });
    restore = quietly({ HOME: lab.home, PI_PACKAGE_DIR: join(lab.home, 'branded'), PI_CODING_AGENT_DIR: join(lab.home, 'pi') });
  });
  afterEach(async () => {
    restore();
    await lab.close();
  });

  test('E1 over RPC: a branded PI_PACKAGE_DIR does not reach the child, PI_CODING_AGENT_DIR does unless env says otherwise', async () => {
    const before = { ...process.env };
    const { PI_CODING_AGENT_DIR: _own, PI_PACKAGE_DIR: _brand, ...env } = lab.env;
    const runtime = createPiRpcRuntime({ executable: piScript(version), env });
    const session = await runtime.open({ cwd: lab.project, model: MODEL });
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    await runtime.close();
    expect(existsSync(join(lab.home, 'pi/sessions'))).toBe(true);
    const elsewhere = { ...env, PI_CODING_AGENT_DIR: join(lab.home, 'elsewhere') };
    const other = createPiRpcRuntime({ executable: piScript(version), env: elsewhere });
    await expect(other.open({ cwd: lab.project, model: MODEL })).rejects.toMatchObject({ code: 'open_failed' });
    const { PI_PACKAGE_DIR } = process.env;
    const branded = createPiRpcRuntime({ executable: piScript(version), env: { ...env, PI_PACKAGE_DIR } });
    await expect(branded.open({ cwd: lab.project, model: MODEL })).rejects.toMatchObject({ code: 'open_failed' });
    expect(process.env).toEqual(before);
  });

  test('E1 in process: the import is not branded, and the environment is the same before and after', async () => {
    const before = { ...process.env };
    let seen: string | undefined = 'never loaded';
    const sdk = () => {
      seen = process.env.PI_PACKAGE_DIR;
      return import(piModule(version)) as Promise<PiSdk>;
    };
    const runtime = createPiSdkRuntime({ sdk });
    const session = await runtime.open({ cwd: lab.project, model: MODEL });
    expect(seen).toBeUndefined();
    expect(session.vendorVersion).toBe(version);
    await seed(session);
    expect(await session.compact()).toMatchObject({ status: 'completed' });
    await runtime.close();
    expect(existsSync(join(lab.home, 'pi/sessions'))).toBe(true);
    expect(process.env).toEqual(before);
    expect(readdirSync(lab.home)).not.toContain('.otherpi');
  });
});
