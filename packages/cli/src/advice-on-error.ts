import type { CompactionResult, ErrorCode, NativeCompactionError } from '@native-compaction/core';
import { examine } from './examine.ts';
import { locate } from './executable.ts';
import type { Finding } from './render/doctor.ts';
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
  if (opening.includes(code)) return [...(await onOther(name, executable)), ...(code === 'resume_failed' ? [listing(name)] : [])];
  return message.startsWith('--resume') ? [listing(name)] : [];
}

/** What a result may come from that it cannot tell: a version that does not answer as those that were tested. */
export async function adviceOnResult(result: CompactionResult, name: RuntimeName, place: string | undefined): Promise<string[]> {
  const isDoubtful = 'reason' in result && (result.reason === 'not_ready' || result.reason === 'no_evidence');
  return isDoubtful ? onInstalled(await examine(name, place)) : [];
}

function listing(name: RuntimeName): string {
  return `To see what can be resumed: native-compaction sessions ${name}`;
}

/** An agent that is too old, or another program, ends as one that does not know the session. */
async function onOther(name: RuntimeName, place: string | undefined): Promise<string[]> {
  const found = await examine(name, place === undefined ? undefined : locate(place));
  if (found.missing !== undefined) return onInstalled(found);
  return place === undefined
    ? []
    : [`Check too that ${place} is the CLI of ${found.title}: it says that it is ${found.version}.`];
}

function onInstalled({ title, version, missing, fix }: Finding): string[] {
  if (missing === undefined) return [];
  return [`${[title, version].filter(Boolean).join(' ')}: ${missing}. To install the newest that was tested: ${fix}`];
}
