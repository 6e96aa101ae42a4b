import type { CompactionResult, Session } from '@native-compaction/core';

/** Which prompt texts the next provider request carried, as the model server received it. */
export interface NextRequest {
  readonly newSystem: boolean;
  readonly newAppend: boolean;
  readonly oldSystem: boolean;
  readonly oldAppend: boolean;
}

/** Tells one scenario's result with its evidence; without a result, none was needed. */
export type Show = (scenario: string, session: Session, result: CompactionResult | undefined, nextRequest?: NextRequest) => void;

/** The texts that the restored scenarios tell apart. */
export const prompts = {
  old: { system: 'OLD-SYSTEM-TEXT', append: 'OLD-APPEND-TEXT' },
  new: { system: 'NEW-SYSTEM-TEXT', append: 'NEW-APPEND-TEXT' },
} as const;

export function toNextRequest(request: unknown): NextRequest {
  const sent = JSON.stringify(request);
  return {
    newSystem: sent.includes(prompts.new.system),
    newAppend: sent.includes(prompts.new.append),
    oldSystem: sent.includes(prompts.old.system),
    oldAppend: sent.includes(prompts.old.append),
  };
}

/** One JSON object a line. */
export function showJson(version: string): Show {
  return (scenario, { runtime }, result, nextRequest) =>
    console.log(JSON.stringify({ scenario, version, runtime, ...result, ...(nextRequest ? { nextRequest } : {}) }));
}

export const showText: Show = (scenario, session, result, nextRequest) => {
  console.log(`\n${scenario}`);
  if (result) showResult(session, result);
  for (const [name, isThere] of Object.entries(nextRequest ?? {}))
    console.log(`  next provider request: ${name} ${isThere ? 'is in it' : 'is not in it'}`);
};

function showResult(session: Session, result: CompactionResult): void {
  const reason = reasonOf(result);
  console.log(`  ${result.status}${reason ? ` (${reason})` : ''}, context ${result.context}`);
  if ('message' in result && result.message) console.log(`  the vendor said: ${result.message}`);
  if ('tokens' in result && result.tokens)
    console.log(`  tokens: ${result.tokens.before ?? 'unknown'} → ${result.tokens.after ?? 'unknown'} (the vendor's figures)`);
  for (const { frame, kind, ids } of result.evidence) {
    const direction = session.frame(frame)?.direction === 'out' ? 'sent' : 'seen';
    const named = Object.entries(ids).map(([name, id]) => `  ${name} ${id}`);
    console.log(`  frame ${String(frame).padStart(3)} ${direction}  ${kind}${named.join(',')}`);
  }
}

function reasonOf(result: CompactionResult): string | undefined {
  return 'reason' in result ? result.reason : result.status === 'aborted' ? result.by : undefined;
}
