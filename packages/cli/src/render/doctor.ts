import type { ManualCompaction } from '@native-compaction/core';
import { toFactLine, toFactLines, toPlain, toWrapped } from './plain.ts';

/** What was found of one runtime. `missing` and `fix` come together: what is wrong, and the command that mends it. */
export interface Finding {
  readonly runtime: string;
  readonly title: string;
  readonly executable?: string;
  readonly version?: string;
  readonly isTested: boolean;
  readonly capability: ManualCompaction;
  readonly missing?: string;
  readonly fix?: string;
}

const instructions = {
  'per-request': 'with each compaction',
  configuration: 'as configuration, in the place of the vendor’s own summary prompt',
  none: 'none',
} as const;
const effects = {
  'at-resume': 'in effect when it is resumed',
  'at-next-compaction': 'in effect after a compaction',
  unknown: 'not known',
} as const;

/** What `doctor` says of one agent, broken at words where a terminal is narrow; what is to be copied is whole. */
export function toDoctorLines(found: Finding, columns?: number): string[] {
  const { title, executable, version, isTested, capability, missing, fix } = found;
  const head = version === undefined ? `${title}: not usable` : `${title} ${version}: ${isTested ? 'tested' : 'not tested'}`;
  const { promptChange, testedVersions } = capability;
  const whole = (label: string, value: string) => [toFactLine(label, value)];
  const broken = (label: string, value: string) => toFactLines(label, value, columns);
  return [
    ...toWrapped(head, columns),
    ...(executable === undefined ? [] : whole('at', toPlain(executable))),
    ...broken('tested', testedVersions.join(', ')),
    ...broken('instructions', instructions[capability.instructions]),
    ...broken('cancellation', capability.cancellation),
    ...broken('system prompt', effects[promptChange.system]),
    ...broken('appended', effects[promptChange.append]),
    ...(missing === undefined ? [] : [...broken('missing', missing), ...whole('to fix it', fix ?? '')]),
    ...(version === undefined || isTested ? [] : broken('note', 'a result may be unconfirmed where its frames differ')),
  ];
}
