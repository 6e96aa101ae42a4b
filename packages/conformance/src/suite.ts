import type { ConformanceCase } from './case.ts';
import { claimCases } from './cases/claims.ts';
import { endingCases } from './cases/endings.ts';
import { faultCases } from './cases/faults.ts';
import { logCases } from './cases/log.ts';
import { operationCases } from './cases/operations.ts';
import { promptCases } from './cases/prompts.ts';
import { recordCases } from './cases/records.ts';
import { resultCases } from './cases/results.ts';
import { safetyCases, surroundings } from './cases/safety.ts';
import { waitingCases } from './cases/waiting.ts';

/** Everything a backend must do, whatever the vendor. */
export const conformanceCases: readonly ConformanceCase[] = [
  // The first, while the environment is still as the host has it.
  surroundings,
  ...resultCases,
  ...claimCases,
  ...waitingCases,
  ...operationCases,
  ...endingCases,
  ...recordCases,
  ...logCases,
  ...promptCases,
  ...safetyCases,
  ...faultCases,
];
