import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { openPiBench, type PiBench } from '../../support/pi.ts';
import { examples, runExample } from '../../support/run-example.ts';
import { definedOnly } from '../../support/sessions.ts';
import { piModule, versionsOf } from '../../support/vendors.ts';

describe.each(versionsOf('pi'))('the example on Pi %s', (version) => {
  let bench: PiBench;
  afterEach(() => bench.close());

  test('05-attach-pi.ts says what it promises', async () => {
    bench = await openPiBench({ version, surface: 'rpc' });
    const env = { ...definedOnly(bench.env), PATH: process.env.PATH ?? '', PI_MODULE: piModule(version) };
    const { stdout, stderr, status } = await runExample('05-attach-pi.ts', env, bench.project);
    expect(status, stderr).toBe(0);
    for (const line of [
      'a manual compaction started',
      'completed, context compacted',
      'the other one: busy_compaction',
      'a foreign compaction started',
      'the session is still yours',
    ])
      expect(stdout.split('\n')).toContain(line);
    expect(stdout).not.toContain('failed');
    expect(readFileSync(`${examples}05-attach-pi.ts`, 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  });
});
