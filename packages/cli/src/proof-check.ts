import type { CompactionResult } from '@native-compaction/core';
import { type JsonObject, object, text } from '@native-compaction/transport';

/** A line of an evidence file, as it was parsed. */
export interface Row {
  readonly line: number;
  readonly row: JsonObject;
}

export interface CheckedProof {
  /** The lines that are what the result says of them, with what they show. */
  readonly lines: ReadonlyMap<number, string>;
  /** Why the file does not bear the result out, if it does not. */
  readonly fault?: string;
}

/** Without one of these a status is a claim: the native end of each runtime, by its evidence. */
const required: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  claude: {
    completed: ['dispatched', 'compact_result success', 'compact_boundary', 'result'],
    failed: ['dispatched', 'result'],
    aborted: ['dispatched', 'lifecycle_cancelled|lifecycle_discarded'],
  },
  codex: {
    completed: ['dispatched', 'accepted', 'item_started', 'item_completed', 'turn_completed'],
    failed: ['dispatched', 'accepted', 'turn_failed'],
    aborted: ['dispatched', 'accepted', 'turn_interrupted'],
  },
  pi: {
    completed: ['dispatched', 'compaction_start', 'response success'],
    failed: ['dispatched', 'response error'],
    aborted: ['dispatched', 'compaction_start', 'response error'],
  },
};

/**
 * Holds what a result says it rests on against the frames of its file: each piece must be a frame that passed before the
 * result, in one process, of its kind, and with its ids; and the status must have its native end among them.
 */
export function checkProof(result: CompactionResult, named: Row, rows: readonly Row[]): CheckedProof {
  const places = Array.isArray(named.row.proof) ? (named.row.proof as readonly unknown[]) : [];
  const before = new Map(rows.filter(({ line }) => line < named.line).map(({ line, row }) => [line, row]));
  const lines = new Map<number, string>();
  const found: string[] = [];
  let pid: unknown;
  if (places.length === result.evidence.length)
    for (const [index, { frame, kind, ids }] of result.evidence.entries()) {
      const line = places[index] as number;
      const row = before.get(line);
      if (row === undefined || lines.has(line) || !shows(row, kind, ids)) continue;
      pid ??= row.pid;
      if (row.pid !== pid) continue;
      lines.set(line, `${kind}, frame ${frame}`);
      found.push(kind, `${kind} ${wordOf(row)}`);
    }
  const asked = required[result.runtime.split('-')[0] ?? '']?.[result.status] ?? [];
  const absent = asked.filter((kinds) => !kinds.split('|').some((kind) => found.includes(kind)));
  const missing = result.evidence.length - lines.size;
  const faults = [
    ...(missing === 0
      ? []
      : [
          `of the ${result.evidence.length} frames that the result names, ${missing} are not in this file as what they are said to be`,
        ]),
    ...(absent.length === 0 ? [] : [`no frame here shows ${absent.map((kinds) => kinds.split('|')[0]).join(', ')}`]),
  ];
  return { lines, ...(faults.length === 0 ? {} : { fault: `This file does not prove the result: ${faults.join('; ')}.` }) };
}

const isState = (frame: JsonObject, kind: string) =>
  frame.type === 'command_lifecycle' && `lifecycle_${text(frame.state)}`.endsWith(`_${kind.replace('lifecycle_', '')}`);
const isStatus = (frame: JsonObject) => frame.type === 'system' && frame.subtype === 'status';
const isTurnEnd = (frame: JsonObject, status: string) =>
  frame.method === 'turn/completed' && object(object(frame.params)?.turn)?.status === status;
const isItem = (frame: JsonObject, method: string) =>
  frame.method === method && object(object(frame.params)?.item)?.type === 'contextCompaction';

/** What a frame of each kind looks like, by the words that the vendors' protocols give it; an unknown kind is taken by its ids. */
const looks: Readonly<Record<string, (frame: JsonObject) => boolean>> = {
  dispatched: (frame) => frame.type === 'user' || frame.type === 'compact' || frame.method === 'thread/compact/start',
  queued: (frame) => isState(frame, 'queued'),
  started: (frame) => isState(frame, 'started'),
  lifecycle_cancelled: (frame) => isState(frame, 'cancelled'),
  lifecycle_discarded: (frame) => isState(frame, 'discarded'),
  lifecycle_refused: (frame) => isState(frame, 'refused'),
  compacting: (frame) => isStatus(frame) && frame.status === 'compacting',
  compact_result: (frame) => isStatus(frame) && text(frame.compact_result) !== undefined,
  init: (frame) => frame.type === 'system' && frame.subtype === 'init',
  compact_boundary: (frame) => frame.type === 'system' && frame.subtype === 'compact_boundary',
  result: (frame) => frame.type === 'result',
  accepted: (frame) => 'result' in frame,
  refused: (frame) => 'error' in frame,
  turn_started: (frame) => frame.method === 'turn/started',
  turn_kind_compact: (frame) => 'error' in frame,
  item_started: (frame) => isItem(frame, 'item/started'),
  item_completed: (frame) => isItem(frame, 'item/completed'),
  turn_completed: (frame) => isTurnEnd(frame, 'completed'),
  turn_failed: (frame) => isTurnEnd(frame, 'failed'),
  turn_interrupted: (frame) => isTurnEnd(frame, 'interrupted'),
  compaction_start: (frame) => frame.type === 'compaction_start' && frame.reason === 'manual',
  compaction_end_completed: (frame) => frame.type === 'compaction_end' && object(frame.result) !== undefined,
  compaction_end_failed: (frame) => frame.type === 'compaction_end' && frame.aborted !== true,
  compaction_end_aborted: (frame) => frame.type === 'compaction_end' && frame.aborted === true,
  response: (frame) => frame.type === 'response' && frame.command === 'compact',
};

/** Ids are never redacted, so what a piece of evidence names is in its frame as it is. */
function shows({ dir, frame }: JsonObject, kind: string, ids: Readonly<Record<string, string>>): boolean {
  const native = object(frame);
  if (native === undefined || dir !== (kind === 'dispatched' ? 'out' : 'in')) return false;
  if (Object.hasOwn(looks, kind) && !looks[kind]?.(native)) return false;
  return Object.entries(ids).every(([name, id]) => isDerived(kind, name) || holds(native, id));
}

/** What an end says of itself beside its kind. */
function wordOf({ frame }: JsonObject): string {
  const native = object(frame);
  return text(native?.compact_result) ?? (native?.success === true ? 'success' : 'error');
}

/** Ids that the frame itself does not repeat: an outcome's kind, and the turn that a probe asked for. */
function isDerived(kind: string, name: string): boolean {
  return name === 'kind' || kind === 'turn_kind_compact';
}

function holds(root: JsonObject, id: string): boolean {
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === id || (typeof value === 'number' && String(value) === id)) return true;
    if (typeof value === 'object' && value !== null)
      open.push(...Object.values(value).filter((inner) => inner !== undefined && inner !== null));
  }
  return false;
}
