import type { Requirement } from './requirement.ts';

/** A requirement that did not hold. */
export class Violation extends Error {
  readonly requirement: Requirement;

  constructor(requirement: Requirement, observed: string) {
    super(`${requirement.promise} ${requirement.id} (${requirement.observed}): ${observed}`);
    this.name = 'Violation';
    this.requirement = requirement;
  }
}

/** Whether every member of `expected` is in `actual`; a predicate in the place of a value is asked. */
export function isLike(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'function') return Boolean((expected as (value: unknown) => unknown)(actual));
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected);
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, value]) => isLike((actual as Record<string, unknown>)[name], value));
}

/** A value as one bounded line. */
export function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_name, member: unknown) => (typeof member === 'function' ? '(a condition)' : member)) ?? String(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
