import { NativeCompactionError } from '@native-compaction/core';
import type { ConformanceCase } from './case.ts';
import { promisesOf } from './define-conformance.ts';
import { requirements } from './requirements.ts';
import { conformanceCases } from './suite.ts';

/** The cases of the suite that show what is named: promises such as `R6`, or requirements such as `proof-found`. Throws `invalid_options`. */
export function casesFor(ids: readonly string[]): readonly ConformanceCase[] {
  const shows = (one: ConformanceCase, id: string) => one.requirements.includes(id) || promisesOf(one).includes(id);
  const unknown = ids.filter((id) => !conformanceCases.some((one) => shows(one, id)));
  if (unknown.length === 0 && ids.length > 0) return conformanceCases.filter((one) => ids.some((id) => shows(one, id)));
  const shown = requirements.filter(({ shownBy }) => shownBy === 'suite');
  const known = [...new Set(shown.map(({ promise }) => promise)), ...shown.map(({ id }) => id)].join(', ');
  const what = ids.length === 0 ? 'Nothing was named' : `No case shows ${unknown.join(', ')}`;
  throw new NativeCompactionError('invalid_options', `${what}. These can be: ${known}.`);
}
