import { readFileSync } from 'node:fs';
import { applyFacts, type ContextMessage, emptyLedger, initialKimiReader, type Ledger, readKimiEvent } from '../../src/index.ts';

const file = new URL('../fixtures/kimi/2.1.0/rebuilt-request.json', import.meta.url);

/** The provider request that Kimi Code 2.1.0 rebuilt, as recorded. */
export const rebuilt = (JSON.parse(readFileSync(file, 'utf8')) as { messages: ContextMessage[] }).messages;

export const QUESTION = 'QFINAL-42: which flag enables the feature, and please record it in notes.txt?';
const rules = Array.from(
  { length: 300 },
  (_, n) => `- Rule ${n}: verify claim number ${n} against the source tree and write the outcome down in the audit table.`,
);
const envelope = `${rebuilt[0]?.content.split('- Rule 0')[0]}${rules.join('\n')}\n</skill-loaded>`;
const task = (n: number) => `TASK-${n}: ${`please handle item ${n}. `.repeat(n === 2 ? 9 : 4)}`;

let turn = 0;
const turnOf = (input: string, origin: object): object[] => {
  turn += 1;
  return [
    { type: 'turn.prompt', turnId: turn, promptId: `p${turn}`, origin, input: [{ type: 'text', text: input }] },
    { type: 'context.append_message', message: { role: 'user', content: input, id: `m${turn}`, origin } },
    { type: 'agent.turn.started', turnId: turn },
    { type: 'context.append_loop_event', event: { type: 'step.begin' } },
    { type: 'llm.request', kind: 'loop' },
    { type: 'context.append_loop_event', event: { type: 'step.end', finishReason: 'stop' } },
  ];
};
const end = (reason = 'completed') => [
  { type: 'turn.ended', turnId: turn, reason },
  { type: 'prompt.completed', promptId: `p${turn}`, reason },
];
const user = { kind: 'user' };

/** The lines of the event log up to the compaction: the skill, 19 finished prompts, and the question whose turn goes on. */
export const eventsBefore: readonly object[] = [
  { type: 'metadata', protocol_version: '1.5' },
  ...turnOf(envelope, { kind: 'skill_activation', activationId: 'a1', skillName: 'audit-docs', trigger: 'user-slash' }),
  ...end(),
  ...Array.from({ length: 19 }, (_, n) => [...turnOf(task(n + 1), user), ...end()]).flat(),
  ...turnOf(QUESTION, user),
  { type: 'full_compaction.begin', source: 'auto' },
];
export const eventsAfter: readonly object[] = [
  { type: 'llm.request', kind: 'compaction' },
  { type: 'context.apply_compaction', summary: 's', compactedCount: 46, keptUserMessageCount: 20 },
  { type: 'full_compaction.complete' },
];
export const lastTurn = turn;

export function ledgerOf(events: readonly unknown[]): Ledger {
  let reader = initialKimiReader;
  let ledger = emptyLedger;
  for (const event of events) {
    const step = readKimiEvent(reader, event);
    reader = step.reader;
    ledger = applyFacts(ledger, step.facts);
  }
  return ledger;
}
