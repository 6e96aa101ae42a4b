import { readFileSync } from 'node:fs';
import { type CompactionResult, compactionResultSchema, NativeCompactionError } from '@native-compaction/core';
import type { PromptEffects } from '@native-compaction/restore';
import { type JsonObject, number, object, oneOf, optional, text } from '@native-compaction/transport';
import { labelOf, type MarkKind, markKinds } from './labels.ts';
import { inOrder } from './mark-order.ts';
import { type CheckedProof, checkProof, type Row } from './proof-check.ts';

export const lanes = ['host', 'library', 'native'] as const;
export type Lane = (typeof lanes)[number];

/** One mark of the time line. */
export interface Mark {
  /** The line of the file, from 1. */
  readonly line: number;
  /** Milliseconds since the wire was connected. */
  readonly atMs: number;
  readonly lane: Lane;
  readonly kind: MarkKind;
  readonly label: string;
  readonly content: unknown;
  /** Whether the result rests on it. */
  readonly isProof: boolean;
  /** What it shows of the result, in the words of its evidence. */
  readonly proves?: string;
}

/** An evidence file, read; one that a host's own tap wrote has frames and no result. */
export interface Capture {
  readonly marks: readonly Mark[];
  readonly result?: CompactionResult;
  readonly prompt?: PromptEffects;
  /** What the agent's own files said once its process was gone, where it was looked for. */
  readonly afterwards?: Afterwards;
  /** From the dispatch to the last word on it. */
  readonly operation?: { readonly fromMs: number; readonly toMs: number };
  /** Whether the frames of this file bear the result out. */
  readonly isProven: boolean;
  /** What is wrong with the file, a sentence each. */
  readonly faults: readonly string[];
}

/** Reads an evidence file. Throws `invalid_options` where it is none. */
export function readCapture(path: string): Capture {
  const capture = toCapture(read(path));
  if (capture.marks.length > 0) return capture;
  throw new NativeCompactionError('invalid_options', `${path} is no evidence file. "compact --evidence FILE" writes one.`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `Cannot read ${path} (${(cause as NodeJS.ErrnoException).code}). Name a file that "compact --evidence" wrote.`;
    throw new NativeCompactionError('invalid_options', message, { cause });
  }
}

export function toCapture(content: string): Capture {
  const lines = content.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line: index + 1, row: parse(line) }]));
  const rows = lines.filter((one): one is Row => one.row !== undefined);
  const results = rows.filter(({ row }) => row.dir === 'result');
  const last = results.at(-1);
  const result = compactionResultSchema.safeParse(last?.row.result).data;
  const proof: CheckedProof = last && result ? checkProof(result, last, rows) : { lines: new Map() };
  const marks = inOrder(rows.flatMap(({ line, row }) => toMark(line, row, proof.lines)));
  const faults = [
    unreadable(lines.length - marks.length),
    results.length > 1 ? `There are ${results.length} results in this file; the last one counts.` : undefined,
    last && !result ? 'The result in this file cannot be read.' : undefined,
    proof.fault,
  ];
  return {
    marks,
    isProven: proof.fault === undefined,
    faults: faults.filter((fault) => fault !== undefined),
    ...optional('result', result),
    ...optional('prompt', promptOf(object(last?.row.prompt))),
    ...optional('afterwards', afterwardsOf(rows.findLast(({ row }) => row.dir === 'afterwards')?.row)),
    ...optional('operation', operationOf(marks)),
  };
}

function unreadable(count: number): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? '1 line of the file could not be read.' : `${count} lines of the file could not be read.`;
}

function parse(line: string): JsonObject | undefined {
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function toMark(line: number, row: JsonObject, proof: ReadonlyMap<number, string>): Mark[] {
  const kind = oneOf(row.dir, markKinds);
  const atMs = number(row.t);
  if (kind === undefined || atMs === undefined) return [];
  const content = kind === 'in' || kind === 'out' || kind === 'end' ? row.frame : row[kind];
  const lane = laneOf(kind, object(content));
  const facts = { isProof: proof.has(line), ...optional('proves', proof.get(line)) };
  return [{ line, atMs, kind, lane, label: labelOf(kind, content), content, ...facts }];
}

/** What a host asked and got is in its lane; what we wrote and noted is in ours. */
function laneOf(kind: Mark['kind'], content: JsonObject | undefined): Lane {
  if (kind === 'in' || kind === 'end') return 'native';
  if (kind === 'result' || kind === 'afterwards') return 'host';
  return kind === 'record' && /^(?:input_|compaction_re|permission_)/.test(text(content?.type) ?? '') ? 'host' : 'library';
}

const effects = ['in-effect', 'at-next-compaction', 'unknown'] as const;

function promptOf(value: JsonObject | undefined): PromptEffects | undefined {
  const [system, append] = [oneOf(value?.system, effects), oneOf(value?.append, effects)];
  return system && append && { system, append };
}

const contexts = ['compacted', 'unchanged', 'unknown'] as const;
type Afterwards = (typeof contexts)[number];

function afterwardsOf(row: JsonObject | undefined): Afterwards | undefined {
  return oneOf(object(row?.afterwards)?.context, contexts);
}

function operationOf(marks: readonly Mark[]): Capture['operation'] {
  const typeOf = ({ kind, content }: Mark) => (kind === 'record' ? text(object(content)?.type) : kind);
  const from = marks.find((mark) => typeOf(mark) === 'compaction_dispatched');
  const to = marks.findLast((mark) => ['compaction_ended', 'result'].includes(typeOf(mark) ?? ''));
  return from && to && { fromMs: from.atMs, toMs: Math.max(from.atMs, to.atMs) };
}
