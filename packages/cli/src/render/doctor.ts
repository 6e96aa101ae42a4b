import type { ManualCompaction } from '@native-compaction/core';
import { toPlain } from './plain.ts';

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

/** What `doctor` says of one agent; never cut, so that what is to be copied is whole. */
export function toDoctorLines({ title, executable, version, isTested, capability, missing, fix }: Finding): string[] {
  const head = version === undefined ? `${title}: not usable` : `${title} ${version}: ${isTested ? 'tested' : 'not tested'}`;
  const { promptChange, testedVersions } = capability;
  const lines = [
    ...(executable === undefined ? [] : [`at             ${toPlain(executable)}`]),
    `tested         ${testedVersions.join(', ')}`,
    `instructions   ${instructions[capability.instructions]}`,
    `cancellation   ${capability.cancellation}`,
    `system prompt  ${effects[promptChange.system]}`,
    `appended       ${effects[promptChange.append]}`,
    ...(missing === undefined ? [] : [`missing        ${missing}`, `to fix it      ${fix}`]),
    ...(version === undefined || isTested ? [] : ['note           a result may be unconfirmed where its frames differ']),
  ];
  return [head, ...lines.map((line) => `  ${line}`)];
}
