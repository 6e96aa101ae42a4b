import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Session, SessionRecord } from '@native-compaction/core';
import { expect } from 'vitest';

/** Records what the live tests see as fixtures for the pure ones: frames of both directions, redacted, long texts cut. */
export interface Recorder {
  /** `foreign` is what a test wrote behind the library's back. */
  add(process: number, dir: 'in' | 'out' | 'foreign' | 'end', frame: unknown): void;
  follow(session: Session): void;
  save(folders: readonly string[]): void;
}

const silent: Recorder = { add: () => undefined, follow: () => undefined, save: () => undefined };

/**
 * A recorder named after the running test, or one that does nothing unless RECORD is set. `variant` tells surfaces apart, and
 * `shared` names one that several tests share.
 */
export function createRecorder(vendor: string, version: string, variant?: string, shared?: string): Recorder {
  if (!process.env.RECORD) return silent;
  const { currentTestName, testPath } = expect.getState();
  const file = basename(testPath ?? 'unknown').replace('.test.ts', '');
  const test = shared ?? (currentTestName ? slug(currentTestName.split(' > ').at(-1) ?? '') : undefined);
  const name = [file, variant, test].filter((part) => part !== undefined).join('-');
  const lines: { process: number; dir: string; frame: unknown }[] = [];
  const records: SessionRecord[] = [];
  return {
    add: (pid, dir, frame) => void lines.push({ process: pid, dir, frame }),
    follow(session) {
      session.on('record', (record) => {
        records.push(record);
        // It was not applied when it was recorded, so it is not replayed either.
        if (record.type === 'late_frame') Object.assign(lines.at(-1) ?? {}, { dir: 'late' });
      });
    },
    save(folders) {
      if (lines.length === 0) return;
      const pids = [...new Set(lines.map((line) => line.process))];
      const kept = lines.map(({ process: pid, dir, frame }) => ({
        process: pids.indexOf(pid) + 1,
        dir,
        frame: cut(frame, folders),
      }));
      const outcomes = records.flatMap((record) => (record.type === 'compaction_ended' ? [[record.origin, record.outcome]] : []));
      const folder = join('packages', vendor, 'test/fixtures', version);
      mkdirSync(folder, { recursive: true });
      const head = { scenario: name, vendor, version, outcomes };
      writeFileSync(join(folder, `${name}.jsonl`), [head, ...kept].map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
  };
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
}

/** Members of the vendor's own inventory that no promise rests on. */
const dropped = new Set(
  'models agents tools mcp_servers slash_commands skills plugins account available_output_styles modelUsage memory_paths messaging_socket_path user_output_styles_dir pid usage diagnostics description argumentHint permission_suggestions serverName installationId rateLimits environments sandbox activePermissionProfile emittedAtMs runtimeWorkspaceRoots'.split(
    ' ',
  ),
);

/** Keeps what a machine may read: structure, ids and short texts. Folders of this machine get neutral names. */
function cut(value: unknown, folders: readonly string[]): unknown {
  if (typeof value === 'string') {
    const known = folders.reduce(
      (text, folder) => text.replaceAll(folder, '/project').replaceAll(folder.replaceAll('/', '-'), '-project'),
      value,
    );
    const neutral = known.replace(/\/tmp\/[^\s"'<]*/g, '/temporary').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
    return neutral.length > 400 ? `${neutral.slice(0, 200)}[cut]` : neutral;
  }
  if (Array.isArray(value)) {
    const named = value.filter((item) => /compact/i.test(String((item as { name?: unknown } | null)?.name)));
    return (value.length > 12 ? named : value).map((item) => cut(item, folders));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (dropped.has(key) ? [] : [[cut(key, folders), cut(member, folders)]])),
  );
}
