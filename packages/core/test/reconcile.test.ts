import { describe, expect, test } from 'vitest';
import type { ManualCompaction } from '../src/capability.ts';
import { initialView, reduceView, resumedView, type SessionView, toCheckpoint } from '../src/checkpoint.ts';
import type { Finding } from '../src/finding.ts';
import { reconcile } from '../src/reconcile.ts';
import type { SessionRecord } from '../src/record.ts';
import { findControl, statusValue } from '../src/status.ts';

let seq = 0;
const fold = (view: SessionView, ...drafts: object[]) =>
  drafts.reduce<SessionView>((next, draft) => {
    seq += 1;
    return reduceView(next, { log: 'L', seq, atMs: seq, ...draft } as SessionRecord);
  }, view);
const process = { pid: 7, started: '99' };
const opened = [
  { type: 'log_opened', process },
  { type: 'session_opened', nativeId: 'native', vendorVersion: '1.2.3' },
];
const requested = (requestId: string) => ({ type: 'compaction_requested', requestId, nativeKeys: { key: requestId } });
const dispatched = (requestId: string) => ({
  type: 'compaction_dispatched',
  requestId,
  nativeKeys: { key: requestId },
  position: 'p',
});
const ended = (requestId: string) => ({ type: 'compaction_ended', requestId, origin: 'manual', outcome: 'completed' });
const closed = { type: 'session_closed', why: 'process_exit' };
const at = (view: SessionView) => toCheckpoint('claude', { log: 'L', seq }, view);

describe('what a checkpoint keeps of a control', () => {
  test('T2 its keys, its position, its process, its version and its times, as they become known', () => {
    const view = fold(initialView, ...opened, requested('r'));
    expect(findControl(view.statusState, 'r')).toMatchObject({
      started: false,
      nativeKeys: { key: 'r' },
      process,
      vendorVersion: '1.2.3',
    });
    const started = { type: 'compaction_started', origin: 'manual', requestId: 'r', nativeKeys: { turnId: 't' } };
    const later = findControl(fold(view, dispatched('r'), started).statusState, 'r');
    expect(later).toMatchObject({ started: true, nativeKeys: { key: 'r', turnId: 't' }, position: 'p', process });
    expect(later?.dispatchedAtMs).toBeGreaterThan(later?.requestedAtMs ?? 0);
  });

  test('a control that is over, or was open when its log ended, can still be asked about; the display value knows none of it', () => {
    const view = fold(initialView, ...opened, requested('a'), dispatched('a'), ended('a'), requested('b'), closed);
    expect(view.statusState.recent?.map(({ requestId }) => requestId)).toEqual(['a', 'b']);
    expect(statusValue(view.statusState)).toEqual({ state: 'closed', vendorVersion: '1.2.3' });
  });

  test('what was refused before it was written is not kept, and of the rest the last eight', () => {
    const refused = { type: 'compaction_rejected', requestId: 'no', reason: 'busy_turn' };
    const many = Array.from({ length: 10 }, (_item, index) => `r${index}`);
    const rounds = many.flatMap((name) => [requested(name), dispatched(name), ended(name)]);
    const { statusState } = fold(initialView, ...opened, ...rounds, requested('no'), refused);
    expect(statusState.recent?.map(({ requestId }) => requestId)).toEqual(many.slice(2));
  });

  test('a log that follows carries them on, with the process they ran in; a request id used again names the newer one', () => {
    const old = at(fold(initialView, ...opened, requested('a'), dispatched('a'), requested('b'), dispatched('b')));
    const next = fold(resumedView(old), { type: 'log_opened', process: { pid: 8 } }, ...opened.slice(1));
    expect(findControl(next.statusState, 'b')?.process).toEqual(process);
    const again = fold(next, requested('b'), dispatched('b'), ended('b'));
    expect(again.statusState.recent?.filter(({ requestId }) => requestId === 'b')).toHaveLength(1);
    expect(findControl(again.statusState, 'b')?.process).toEqual({ pid: 8 });
    const refused = fold(next, requested('a'), { type: 'compaction_rejected', requestId: 'a', reason: 'busy_turn' });
    expect(refused.statusState.recent?.map(({ requestId }) => requestId)).toEqual(['b']);
  });
});

describe('reconcile()', () => {
  const finding: Finding = { context: 'compacted', evidence: [{ kind: 'k', row: 1, ids: {} }] };
  const runtime = { id: 'claude', reconcile: () => Promise.resolve(finding) };
  const checkpoint = at(fold(initialView, ...opened, requested('r'), dispatched('r')));

  test('hands the control to the backend and names whose answer it is', async () => {
    const asked: unknown[] = [];
    const look = async (operation: unknown) => {
      asked.push(operation);
      return finding;
    };
    const looking = { ...runtime, reconcile: look };
    expect(await reconcile(looking, { checkpoint, requestId: 'r' })).toEqual({
      requestId: 'r',
      runtime: 'claude',
      nativeId: 'native',
      ...finding,
    });
    expect(asked).toEqual([{ nativeId: 'native', control: findControl(checkpoint.view.statusState, 'r') }]);
  });

  test.each([
    ['a request it does not know', { checkpoint, requestId: 'other' }, 'unknown_request'],
    ['a corrupt checkpoint', { checkpoint: {}, requestId: 'r' }, 'corrupt_checkpoint'],
    ['a foreign checkpoint', { checkpoint: { ...checkpoint, runtime: 'codex' }, requestId: 'r' }, 'foreign_checkpoint'],
    ['a newer checkpoint', { checkpoint: { ...checkpoint, version: 2 }, requestId: 'r' }, 'newer_checkpoint'],
    ['options that are none', { checkpoint, requestId: '' }, 'invalid_options'],
  ])('%s is a coded error', async (_what, options, code) => {
    await expect(reconcile(runtime, options)).rejects.toMatchObject({ code });
  });

  test.each([undefined, null, 'claude', {}])('%j in the place of the runtime is a coded error', async (wrong) => {
    const options = { checkpoint, requestId: 'r' };
    await expect(reconcile(wrong as never, options)).rejects.toMatchObject({ code: 'invalid_options' });
  });

  test('on a version that was not tested a mark is read, and its absence says nothing', async () => {
    const absent: Finding = { context: 'unchanged', evidence: [{ kind: 'process_gone', ids: {} }] };
    const tested = (testedVersions: string[], found: Finding) => ({
      id: 'claude',
      manualCompaction: { testedVersions } as unknown as ManualCompaction,
      reconcile: () => Promise.resolve(found),
    });
    const look = (versions: string[], found: Finding) => reconcile(tested(versions, found), { checkpoint, requestId: 'r' });
    expect(await look(['1.2.3'], absent)).toMatchObject(absent);
    expect(await look(['1.2.4'], absent)).toMatchObject({ ...absent, context: 'unknown', reason: 'untested_version' });
    expect(await look(['1.2.4'], finding)).toMatchObject(finding);
    const { vendorVersion: _unknown, ...opening } = opened[1] as { type: string; vendorVersion?: string };
    const nameless = at(fold(initialView, opened[0] as object, opening, requested('r'), dispatched('r')));
    expect(await reconcile(tested(['1.2.3'], absent), { checkpoint: nameless, requestId: 'r' })).toMatchObject({
      reason: 'untested_version',
    });
  });

  test('the version is that of the log in which it was asked, not of a later one', async () => {
    const next = fold(resumedView(checkpoint), { type: 'log_opened' }, { type: 'session_opened', vendorVersion: '1.2.4' });
    expect(findControl(next.statusState, 'r')?.vendorVersion).toBe('1.2.3');
  });

  test('files that the system does not let us read are unknown; a mistake in the backend is not hidden', async () => {
    const look = (error: Error) =>
      reconcile({ ...runtime, reconcile: () => Promise.reject(error) }, { checkpoint, requestId: 'r' });
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open' });
    expect(await look(denied)).toMatchObject({ context: 'unknown', reason: 'unreadable', nativeId: 'native', evidence: [] });
    await expect(look(new TypeError('a mistake'))).rejects.toThrow('a mistake');
  });

  test('a runtime that cannot look, and a session without a name, are unknown', async () => {
    expect(await reconcile({ id: 'claude' }, { checkpoint, requestId: 'r' })).toMatchObject({ reason: 'unsupported' });
    const nameless = at(fold(initialView, { type: 'log_opened' }, requested('r')));
    expect(await reconcile(runtime, { checkpoint: nameless, requestId: 'r' })).toMatchObject({ reason: 'no_source' });
  });
});
