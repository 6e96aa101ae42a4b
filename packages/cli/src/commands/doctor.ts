import { examine } from '../examine.ts';
import { print, printJson } from '../output.ts';
import { toDoctorLines } from '../render/doctor.ts';
import { runtimeNames } from '../runtimes.ts';

/** Looks at what is installed: asks each CLI for its version and nothing else. 0 if one can be used, else 1. */
export async function doctor({ json }: { readonly json?: true }): Promise<number> {
  const findings = await Promise.all(runtimeNames.map((name) => examine(name)));
  if (json) printJson({ node: process.versions.node, runtimes: findings });
  else for (const line of findings.flatMap((found) => toDoctorLines(found, process.stdout.columns))) print(line);
  return findings.some(({ missing }) => missing === undefined) ? 0 : 1;
}
