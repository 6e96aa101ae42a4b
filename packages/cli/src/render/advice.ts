import type { CompactionResult, Finding, RejectReason, UnconfirmedReason } from '@native-compaction/core';

const rejected: Readonly<Record<RejectReason, string>> = {
  aborted: 'It was cancelled before anything was sent. Ask again when you want it.',
  closed: 'The agent ended before anything was sent. Ask again.',
  unsupported: 'This runtime does not declare a compaction by hand.',
  not_ready:
    'The agent did not become idle in time, or did not answer what is asked of it first. Ask again; if it stays so, see with "doctor" whether its version was tested.',
  busy_compaction: 'Another compaction runs. Wait for its end.',
  busy_turn: 'A turn runs. Wait for its end, then ask again.',
  queued_input: 'The agent has input in its queue. Let it run, then ask again.',
  goal_active: 'A goal is active in this thread. Pause it in Codex, then ask again.',
  not_builtin: 'Its "/compact" is not the vendor’s own. Remove the command, skill or plugin of that name.',
  native_refused: 'The agent refused it. Look at what it said, and ask again.',
};
const unconfirmed: Readonly<Record<UnconfirmedReason, string>> = {
  timeout: 'It was sent, and no end came in time. Give --timeout more, and look at the session before asking again.',
  signal: 'It was sent, and the waiting was stopped. Look at the session before asking again.',
  disposed: 'The session was closed while it ran. Look at the session before asking again.',
  process_exit: 'The agent ended while it ran. Look at the session before asking again.',
  transport_lost: 'The connection to the agent was lost while it ran. Look at the session before asking again.',
  ambiguous: 'A compaction ended, and it cannot be told whose it was. Look at the session before asking again.',
  no_evidence:
    'It ended, and what this version says is not enough for a proof. Look at the session before asking again, and see with "doctor" whether its version was tested.',
};

/** What is known beside a result of how it came about, and of what became of it. */
export interface Known {
  readonly afterwards?: Finding['context'] | undefined;
  /** Whether the agent was asked to cancel it. */
  readonly isCancelled?: boolean | undefined;
}

/** What to do next, one sentence or two; absent where nothing is to be done. `afterwards` is what the agent's own files say. */
export function adviceOn(result: CompactionResult, { afterwards, isCancelled }: Known = {}): string | undefined {
  if (afterwards === 'compacted') return 'Go on with the session.';
  if (afterwards === 'unchanged') {
    const isLate = result.status === 'unconfirmed' && result.reason === 'timeout';
    return isLate ? 'Ask again if you still want it, and give --timeout more.' : 'Ask again if you still want it.';
  }
  switch (result.status) {
    case 'completed':
      return undefined;
    case 'rejected':
      return rejected[result.reason];
    case 'unconfirmed':
      return unconfirmed[result.reason];
    case 'aborted':
      return result.context === 'compacted' ? 'It was cancelled after history had been replaced.' : 'Ask again when you want it.';
    case 'failed':
      return failed(result, isCancelled ?? false);
  }
}

function failed({ hint, runtime }: Extract<CompactionResult, { status: 'failed' }>, isCancelled: boolean): string {
  if (hint === 'nothing_to_compact') return 'There is too little to compact. Go on with the session.';
  if (hint === 'blocked_by_hook') return 'A hook of yours blocked it. What it printed says why.';
  if (hint === 'context_limit')
    return 'The context is too large for the summary itself. Shorten the session, or start a new one.';
  // Claude Code has no other word for one that was cancelled while it ran.
  if (isCancelled && hint === undefined && runtime === 'claude') return 'You cancelled it. Ask again when you want it.';
  return 'The provider or the agent failed. Look at the message; asking again is safe.';
}
