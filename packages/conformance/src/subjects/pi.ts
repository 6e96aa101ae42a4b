import type { Session } from '@native-compaction/core';
import { say } from '../following.ts';
import { openPiLab } from '../pi-lab.ts';
import type { Subject, WrittenKind } from '../subject.ts';
import { countIn, type VendorSubjectOptions } from './vendor-subject.ts';

const kinds: Readonly<Record<string, WrittenKind>> = { compact: 'compact', prompt: 'input', abort: 'cancel', get_state: 'read' };

/** Two turns, without which Pi finds nothing to compact. */
export async function seedPi(session: Session): Promise<void> {
  await say(session, `first ${'word '.repeat(40)}`);
  await say(session, `second ${'word '.repeat(40)}`);
}

/** Pi of one version, for the suite: over RPC, or in the process of its host where no command is given. */
export function createPiSubject(options: VendorSubjectOptions & Partial<Pick<Subject, 'openLab'>>): Subject {
  return {
    openLab: (script) => openPiLab(script),
    ...options,
    ...(options.command
      ? { runtime: 'pi-rpc', foreign: () => ({ type: 'compact', id: `somebody-${crypto.randomUUID()}` }) }
      : { runtime: 'pi-sdk' }),
    open: { model: 'lab/lab-1' },
    seed: seedPi,
    replacements: (lab, nativeId) => countIn(lab, 'pi/sessions', nativeId, /"type":"compaction"/g),
    written: (frame) => kinds[String(frame.type)],
    hasGateRead: true,
    automatic: { inputTokens: 199_500 },
  };
}
