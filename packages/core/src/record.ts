import { z } from 'zod';
import { failureHints, rejectReasons, tokensSchema } from './compact-result.ts';

/** How an ordinary native turn ended, in the vendor's own report. */
export const turnOutcomes = ['completed', 'failed', 'aborted'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** How an input ended. `undelivered`: it may be sent again. `unconfirmed`: it was written and its end is not known. */
export const inputOutcomes = ['completed', 'failed', 'aborted', 'undelivered', 'unconfirmed'] as const;
export type InputOutcome = (typeof inputOutcomes)[number];

/** Who started a compaction: our `compact()`, the vendor by itself, or somebody else by hand. */
const origin = z.enum(['manual', 'automatic', 'foreign']);
export type CompactionOrigin = z.infer<typeof origin>;

/** Native ids that name one operation, under the vendor's own words (`command_uuid`, `turnId`, …). */
const nativeKeys = z.record(z.string(), z.string());

const usage = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;

/** The vendor's process: `started` is the system's own mark of its start, which tells it from a later one of the same number. */
export const vendorProcessSchema = z.strictObject({ pid: z.number().int().positive(), started: z.string().optional() });
export type VendorProcess = z.infer<typeof vendorProcessSchema>;

/** The child agent a record belongs to; absent for the session itself. */
const task = { taskId: z.string().optional() };
const own = { origin, requestId: z.string().optional(), nativeKeys: nativeKeys.optional() };
const id = z.string();

/** Every kind of record with its payload. The keys are the values of `type`. */
const payloads = {
  log_opened: {
    follows: z.object({ log: id, seq: z.number() }).optional(),
    between: z.literal('not_in_log').optional(),
    process: vendorProcessSchema.optional(),
  },
  session_opened: { nativeId: id.optional(), vendorVersion: z.string().optional() },
  session_refused: { message: z.string() },
  session_identified: { nativeId: id },
  input_accepted: { inputId: id, text: z.string() },
  input_written: { inputId: id },
  /** The native side did not take it, and that is certain: it is the next one again. */
  input_held: { inputId: id },
  input_received: { inputId: id },
  /** `message` is why the vendor did not take it. */
  input_ended: { inputId: id, outcome: z.enum(inputOutcomes), message: z.string().optional() },
  turn_started: { ...task, turnId: id.optional(), inputIds: z.array(id).optional() },
  turn_ended: {
    ...task,
    turnId: id.optional(),
    outcome: z.enum(turnOutcomes),
    kind: z.enum(['prompt', 'compaction']),
    usage: usage.optional(),
    inputId: id.optional(),
    inputIds: z.array(id).optional(),
    message: z.string().optional(),
  },
  idle: {},
  assistant_text: { ...task, messageId: id.optional(), text: z.string() },
  assistant_delta: { ...task, messageId: id.optional(), index: z.number().optional(), text: z.string() },
  tool_called: { ...task, toolCallId: id, tool: z.string(), input: z.unknown().optional() },
  tool_result: { ...task, toolCallId: id, isError: z.boolean(), text: z.string() },
  permission_asked: {
    permissionId: id,
    tool: z.string(),
    input: z.unknown().optional(),
    frame: z.number(),
    toolCallId: id.optional(),
    isChild: z.literal(true).optional(),
  },
  permission_answered: {
    permissionId: id,
    decision: z.enum(['allow', 'deny']),
    by: z.enum(['client', 'native']),
    message: z.string().optional(),
  },
  native_request_refused: { method: z.string() },
  task_started: { taskId: id },
  task_ended: { taskId: id, outcome: z.enum(turnOutcomes) },
  compaction_requested: { requestId: id, nativeKeys: nativeKeys.optional(), position: z.string().optional() },
  compaction_rejected: { requestId: id, reason: z.enum(rejectReasons) },
  compaction_dispatched: { requestId: id, nativeKeys, position: z.string().optional() },
  compaction_started: { ...own },
  compaction_progress: { ...own, detail: z.enum(['compacting', 'heartbeat', 'retry', 'boundary']) },
  compaction_ended: {
    ...own,
    outcome: z.enum(['completed', 'failed', 'aborted', 'unknown']),
    tokens: tokensSchema.optional(),
    hint: z.enum(failureHints).optional(),
    message: z.string().optional(),
  },
  raw: { frame: z.number(), native: z.unknown().optional() },
  unparsed: { frame: z.number(), text: z.string(), bytes: z.number() },
  oversize: { frame: z.number(), bytes: z.number() },
  late_frame: { frame: z.number(), native: z.unknown().optional() },
  gap: { from: z.number(), to: z.number() },
  process_exited: { code: z.number().nullish(), signal: z.string().nullish(), stderrTail: z.string().optional() },
  session_closed: { why: z.enum(['process_exit', 'transport_lost', 'disposed']) },
} satisfies Record<string, z.ZodRawShape>;

type Payloads = typeof payloads;
export type RecordType = keyof Payloads;

/** Where a record stands: `log` is one `open()`, `seq` counts from 1 in it. A record is itself a valid cursor. */
const position = { log: z.string(), seq: z.number().int().nonnegative(), atMs: z.number(), late: z.literal(true).optional() };

const schemas = Object.entries(payloads).map(([type, shape]) => z.object({ ...position, type: z.literal(type), ...shape }));

type Payload<T extends RecordType> = { type: T } & (keyof Payloads[T] extends never
  ? unknown
  : z.infer<z.ZodObject<Payloads[T]>>);
/** What a machine or core means to record, before the log numbers and redacts it. */
export type RecordDraft = { [T in RecordType]: Readonly<Payload<T>> }[RecordType];
/** One record of the session, redacted (T7). `late` marks news of a compaction whose caller already has its result. */
export type SessionRecord = {
  readonly log: string;
  readonly seq: number;
  readonly atMs: number;
  readonly late?: true;
} & RecordDraft;

/** Accepts exactly the records this version writes; for hosts that persist records and read them back. */
export const sessionRecordSchema = z.discriminatedUnion(
  'type',
  schemas as unknown as readonly [(typeof schemas)[number], ...(typeof schemas)[number][]],
) as unknown as z.ZodType<SessionRecord>;

/** Every `type` a record can have. */
export const recordTypes = Object.keys(payloads) as readonly RecordType[];
