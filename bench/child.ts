import type { Probe } from './probes/probe.ts';

/** A fresh process: runs the probe it is told and ends with one line of JSON. */
const [name = '', parameters = '{}'] = process.argv.slice(2);
const { probe } = (await import(`./probes/${name}.ts`)) as { probe: Probe };
const figures = await probe(JSON.parse(parameters));
process.stdout.write(`\n${JSON.stringify(figures)}\n`, () => process.exit(0));
