import type { Requirement } from './requirement.ts';
import { hostRequirements } from './requirements/hosts.ts';
import { operationRequirements } from './requirements/operations.ts';
import { resultRequirements } from './requirements/results.ts';

/** Every promise of the contract, taken apart into what can be observed. */
export const requirements: readonly Requirement[] = [...resultRequirements, ...operationRequirements, ...hostRequirements];

const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));

/** The requirement of this id; throws where there is none, so that a case cannot name what does not exist. */
export function requirementOf(id: string): Requirement {
  const found = byId.get(id);
  if (!found) throw new Error(`No requirement is named "${id}".`);
  return found;
}
