import { readFileSync } from 'node:fs';
import { type CompactionResult, compactionResultSchema, NativeCompactionError } from '@native-compaction/core';
import type { PromptEffects } from '@native-compaction/restore';
import { type JsonObject, number, object, oneOf, optional, text } from '@native-compaction/transport';
import { labelOf } from './labels.ts';

export const lanes = ['host', 'library', 'native'] as const;
export type Lane = (typeof lanes)[number];

/** One mark of the time line. */
export interface Mark {
  /** The line of the file, from 1. */
  readonly line: number;
  /** Milliseconds since the wire was connected. */
  readonly atMs: number;
  readonly lane: Lane;
  readonly kind: 'in' | 'out' | 'end' | 'record' | 'result';
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
  /** From the dispatch to the last word on it. */
  readonly operation?: { readonly fromMs: number; readonly toMs: number };
  /** Lines that are no JSON, as when a disk was full. */
  readonly unreadable: number;
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
  const rows = content.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line: index + 1, row: parse(line) }]));
  const last = rows.findLast(({ row }) => row?.dir === 'result')?.row;
  const result = compactionResultSchema.safeParse(last?.result).data;
  const proof = toProof(Array.isArray(last?.proof) ? last.proof : [], result);
  const marks = rows
    .flatMap(({ line, row }) => (row ? toMark(line, row, proof) : []))
    .sort((a, b) => a.atMs - b.atMs || a.line - b.line);
  return {
    marks,
    unreadable: rows.length - marks.length,
    ...optional('result', result),
    ...optional('prompt', promptOf(object(last?.prompt))),
    ...optional('operation', operationOf(marks)),
  };
}

function parse(line: string): JsonObject | undefined {
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** The lines of the proof, with their kinds where each piece of evidence has its line. */
function toProof(lines: readonly unknown[], result: CompactionResult | undefined): ReadonlyMap<unknown, string | undefined> {
  const kinds = result?.evidence.length === lines.length ? result.evidence.map(({ kind }) => kind) : [];
  return new Map(lines.map((line, index) => [line, kinds[index]]));
}

function toMark(line: number, row: JsonObject, proof: ReadonlyMap<unknown, string | undefined>): Mark[] {
  const kind = oneOf(row.dir, ['in', 'out', 'end', 'record', 'result']);
  const atMs = number(row.t);
  if (kind === undefined || atMs === undefined) return [];
  const content = kind === 'record' ? row.record : kind === 'result' ? row.result : row.frame;
  const lane = laneOf(kind, object(content));
  const facts = { isProof: proof.has(line), ...optional('proves', proof.get(line)) };
  return [{ line, atMs, kind, lane, label: labelOf(kind, content), content, ...facts }];
}

/** What a host asked and got is in its lane; what we wrote and noted is in ours. */
function laneOf(kind: Mark['kind'], content: JsonObject | undefined): Lane {
  if (kind === 'in' || kind === 'end') return 'native';
  if (kind === 'result') return 'host';
  return kind === 'record' && /^(?:input_|compaction_re|permission_)/.test(text(content?.type) ?? '') ? 'host' : 'library';
}

const effects = ['in-effect', 'at-next-compaction', 'unknown'] as const;

function promptOf(value: JsonObject | undefined): PromptEffects | undefined {
  const [system, append] = [oneOf(value?.system, effects), oneOf(value?.append, effects)];
  return system && append && { system, append };
}

function operationOf(marks: readonly Mark[]): Capture['operation'] {
  const typeOf = ({ kind, content }: Mark) => (kind === 'record' ? text(object(content)?.type) : kind);
  const from = marks.find((mark) => typeOf(mark) === 'compaction_dispatched');
  const to = marks.findLast((mark) => ['compaction_ended', 'result'].includes(typeOf(mark) ?? ''));
  return from && to && { fromMs: from.atMs, toMs: Math.max(from.atMs, to.atMs) };
}
