import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../lab.ts';
import type { Subject } from '../subject.ts';

/** What a subject of a real vendor is made of besides its native facts: one version, and how its runtime is made. */
export interface VendorSubjectOptions extends Pick<Subject, 'version' | 'command' | 'createRuntime'> {}

/** How often a mark stands in the files of a session below a folder of the lab's home. */
export function countIn(lab: Lab, folder: string, nativeId: string, mark: RegExp): number {
  const place = join(lab.home, folder);
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(`${nativeId}.jsonl`));
  return files.flatMap((file) => readFileSync(join(place, file), 'utf8').match(mark) ?? []).length;
}
