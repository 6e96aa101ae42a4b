import type { ErrorCode, NativeCompactionError } from '@native-compaction/core';
import { examine } from './examine.ts';
import { locate } from './executable.ts';
import { installCommand, type RuntimeName, runtimes } from './runtimes.ts';

/** What the command line was about, as far as it was understood. */
export interface Asked {
  readonly name?: RuntimeName;
  readonly executable?: string;
}

const opening: readonly ErrorCode[] = ['resume_failed', 'open_failed', 'open_timeout'];

/** What to do about an error besides what its message says, a line each. */
export async function adviceOnError({ code, message }: NativeCompactionError, { name, executable }: Asked): Promise<string[]> {
  if (name === undefined) return [];
  if (code === 'executable_not_found') return [`To install it: ${installCommand(runtimes[name])}`];
  if (opening.includes(code))
    return [...(await onInstalled(name, executable)), ...(code === 'resume_failed' ? [listing(name)] : [])];
  return message.startsWith('open(): resume') ? [listing(name)] : [];
}

function listing(name: RuntimeName): string {
  return `To see what can be resumed: native-compaction sessions ${name}`;
}

/** An agent that is too old, or another program, ends as one that does not know the session. */
async function onInstalled(name: RuntimeName, place: string | undefined): Promise<string[]> {
  const { title, version, missing, fix } = await examine(name, place === undefined ? undefined : locate(place));
  if (missing !== undefined) return [`${title} ${version ?? ''}`.trim().concat(`: ${missing}. To install one that was: ${fix}`)];
  return place === undefined ? [] : [`Check too that ${place} is the CLI of ${title}: it says that it is ${version}.`];
}
