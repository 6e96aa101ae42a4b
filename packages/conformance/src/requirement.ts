import type { RuntimeId } from '@native-compaction/core';

/** One thing that a promise comes down to, as data: what is observed, where, and what shows it. */
export interface Requirement {
  readonly id: string;
  /** The number of the promise in the contract. */
  readonly promise: string;
  readonly observed: string;
  /** Where it is seen: what the caller gets, the session's records or frames, the provider, the vendor's file, or the process. */
  readonly source: 'result' | 'records' | 'frames' | 'provider' | 'disk' | 'process';
  /** The runtimes it is about; absent means every one. */
  readonly runtimes?: readonly RuntimeId[];
  /** `suite`: a case that every backend runs. `live`: tests of that vendor on its real CLI. `unit`: tests without a vendor. */
  readonly shownBy: 'suite' | 'live' | 'unit';
  /** What a vendor cannot do, with the reason: there the case must fail, and one that passes is an error. */
  readonly limits?: Readonly<Record<string, string>>;
}
