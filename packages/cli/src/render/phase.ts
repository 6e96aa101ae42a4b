import type { SessionRecord } from '@native-compaction/core';
import { toDuration } from './duration.ts';

/** What the status line says of a compaction on its way. */
export interface Phase {
  readonly text: string;
  /** Signs of life from the native side since it started. */
  readonly heartbeats: number;
}

export const opening: Phase = { text: 'opening the session', heartbeats: 0 };

/** The next phase, or the same one where the record says nothing of it. */
export function nextPhase(phase: Phase, record: SessionRecord): Phase {
  switch (record.type) {
    case 'compaction_requested':
      return { text: 'asking whether it may start', heartbeats: 0 };
    case 'compaction_dispatched':
      return { text: 'sent, waiting for the native start', heartbeats: 0 };
    case 'compaction_started':
      return { text: record.origin === 'manual' ? 'compacting' : `another compaction runs (${record.origin})`, heartbeats: 0 };
    case 'compaction_progress':
      return progress(phase, record.detail);
    default:
      return phase;
  }
}

function progress(phase: Phase, detail: 'compacting' | 'heartbeat' | 'retry' | 'boundary'): Phase {
  const heartbeats = phase.heartbeats + 1;
  if (detail === 'retry') return { text: 'compacting, the provider is asked again', heartbeats };
  if (detail === 'boundary') return { text: 'history replaced, waiting for the native end', heartbeats };
  return { text: 'compacting', heartbeats };
}

/** The line as it stands: who, what, for how long, and that it still lives. */
export function toStatusLine(title: string, { text, heartbeats }: Phase, elapsedMs: number): string {
  const alive = heartbeats === 0 ? '' : ` · ${heartbeats} ${heartbeats === 1 ? 'sign' : 'signs'} of life`;
  return `${title}: ${text} · ${toDuration(elapsedMs)}${alive}`;
}
