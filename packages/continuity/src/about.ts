import { NativeCompactionError, parseOptions } from '@native-compaction/core';
import { z } from 'zod';
import { type Relation, type RequestKind, relations, requestKinds } from './ledger.ts';

/** What a host knows of an input and its text does not say. */
export interface About {
  readonly kind?: RequestKind | undefined;
  readonly relation?: Relation | undefined;
  /** The request that this one refines or corrects. */
  readonly target?: string | undefined;
}

const aboutSchema = z.strictObject({
  kind: z.enum(requestKinds).optional(),
  relation: z.enum(relations).optional(),
  target: z.string().optional(),
});

/** Checks what a host says of an input, before anything is written. Throws `invalid_options` or `unknown_request`. */
export function checkAbout(about: unknown, knows: (id: string) => boolean, where: string): About {
  const checked = parseOptions(aboutSchema, about, where);
  if (checked.target !== undefined) checkKnown(checked.target, knows, `${where}: target`);
  return checked;
}

export function checkKnown(id: string, knows: (id: string) => boolean, where: string): void {
  if (knows(id)) return;
  const message = `${where}: the ledger knows no request of this id. Take the id of the handle that send() gave.`;
  throw new NativeCompactionError('unknown_request', message);
}
