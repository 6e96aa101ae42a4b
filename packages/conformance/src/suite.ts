import type { ConformanceCase } from './case.ts';
import { endingCases } from './cases/endings.ts';
import { faultCases } from './cases/faults.ts';
import { operationCases } from './cases/operations.ts';
import { promptCases } from './cases/prompts.ts';
import { recordCases } from './cases/records.ts';
import { resultCases } from './cases/results.ts';
import { safetyCases } from './cases/safety.ts';
import { waitingCases } from './cases/waiting.ts';

/** Everything a backend must do, whatever the vendor. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...resultCases,
  ...waitingCases,
  ...operationCases,
  ...endingCases,
  ...recordCases,
  ...promptCases,
  ...safetyCases,
  ...faultCases,
];
