import type { Framing } from '../traffic.ts';
import type { Vendor } from '../vendor/build.ts';

/** One way to talk to a vendor process; each runs in a fresh process of its own. */
export interface Contestant {
  readonly framing: Framing;
  open(vendor: Vendor): Promise<Contest>;
}

export interface Contest {
  /** Asks for the traffic; resolves with the number of frames seen, once the last one was. */
  flood(): Promise<number>;
  /** One control request and its answer. */
  roundTrip?(): Promise<unknown>;
  /** Begins a turn that does not end, where the round trip needs one. */
  hold?(): Promise<void>;
  close(): Promise<void> | void;
}

/** A peer of bench/package.json. It is imported by a name the compiler does not know, so that the workspace builds without it. */
export function loadPeer<T>(name: string): Promise<T> {
  return import(name) as Promise<T>;
}

export const floodLine = `${JSON.stringify({ type: 'user', uuid: '00000000-0000-4000-8000-00000000000b', message: { role: 'user', content: 'go' } })}\n`;
