import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isAlive } from '../../../packages/conformance/src/following.ts';
import { createPromptFiles } from '../../../packages/pi/src/rpc/prompt-files.ts';
import { benches, MODEL, openPiBench, type PiBench } from '../../support/pi.ts';
import { definedOnly } from '../../support/sessions.ts';
import { piScript } from '../../support/vendors.ts';

describe.each(benches(['rpc']))('a host of Pi $version that a signal ends', (place) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'E1 E4 %s in a compaction: no process is left, and its prompt files go with the next ones',
    async (signal) => {
      bench = await openPiBench(place);
      const folder = join(bench.home, 'tmp');
      mkdirSync(folder);
      bench.server.script((request) => (request.isCompaction ? { hang: true } : { text: 'fine' }));
      const asked = bench.server.next(({ isCompaction }) => isCompaction);
      const flags = [
        '--conditions=@native-compaction/source',
        '--disable-warning=ExperimentalWarning',
        'test/support/pi-host.ts',
      ];
      const host = spawn(process.execPath, [...flags, piScript(place.version), bench.project, MODEL], {
        env: { ...definedOnly(bench.env), PATH: process.env.PATH, TMPDIR: folder },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [chunk] = await once(host.stdout, 'data');
      const pid = Number(String(chunk));
      await asked;
      expect(isAlive(pid)).toBe(true);
      const ended = once(host, 'exit');
      host.kill(signal);
      expect(await ended).toEqual([null, signal]);
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
      vi.stubEnv('TMPDIR', folder);
      const next = createPromptFiles({ system: 'S' });
      const left = readdirSync(folder).filter((name) => name.startsWith('native-compaction-'));
      next.remove();
      vi.unstubAllEnvs();
      expect(left).toEqual([expect.stringContaining(`-${process.pid}-`)]);
    },
  );
});
