import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { homeOf, object, readJsonLines, text, Unparsed } from '@native-compaction/transport';

/** A row of the main conversation, with what a proof may rest on. */
export interface Row {
  readonly row: number;
  readonly uuid: string;
  readonly parent?: string;
  /** The same for all rows of one command. */
  readonly promptId?: string;
  readonly atMs: number;
  readonly kind: 'boundary' | 'summary' | 'user' | 'meta' | 'failure' | 'other';
  readonly isManual: boolean;
}

export interface Transcript {
  readonly rows: ReadonlyMap<string, Row>;
  readonly hasUnreadable: boolean;
}

/** Where Claude Code keeps its sessions, in a folder for each project. */
export function projectsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude'), 'projects');
}

/** The file of a session below Claude Code's home; undefined unless there is exactly one, whatever links lead to it. */
export async function findTranscript(env: Readonly<Record<string, string>>, nativeId: string): Promise<string | undefined> {
  if (basename(nativeId) !== nativeId) return undefined;
  const folder = projectsFolder(env);
  const projects = await readdir(folder).catch(() => []);
  const files = projects.map((project) => join(folder, project, `${nativeId}.jsonl`));
  const found = await Promise.all(files.map((file) => stat(file).then((facts) => facts.isFile()).catch(() => false))); // biome-ignore format: one thought
  const existing = new Set(await Promise.all(files.filter((_file, index) => found[index]).map((file) => realpath(file))));
  return existing.size === 1 ? [...existing][0] : undefined;
}

export async function readTranscript(file: string): Promise<Transcript> {
  const rows = new Map<string, Row>();
  let hasUnreadable = false;
  await readJsonLines(file, (native, number) => {
    if (native instanceof Unparsed) {
      hasUnreadable = true;
      return;
    }
    const uuid = text(native.uuid);
    // Rows of a child agent are none of the conversation's; a row that is written again is the one it was.
    if (uuid === undefined || native.isSidechain === true || rows.has(uuid)) return;
    const [parent, promptId] = [text(native.parentUuid), text(native.promptId)];
    rows.set(uuid, {
      row: number,
      uuid,
      ...(parent === undefined ? {} : { parent }),
      ...(promptId === undefined ? {} : { promptId }),
      atMs: Date.parse(text(native.timestamp) ?? ''),
      kind: kindOf(native),
      isManual: object(native.compactMetadata)?.trigger === 'manual',
    });
  });
  return { rows, hasUnreadable };
}

function kindOf(native: { readonly [name: string]: unknown }): Row['kind'] {
  if (native.type === 'system') {
    if (native.subtype === 'compact_boundary') return 'boundary';
    return object(native.commandOutcome)?.kind === 'failed' ? 'failure' : 'other';
  }
  if (native.type !== 'user') return 'other';
  if (native.isCompactSummary === true) return 'summary';
  return native.isMeta === true ? 'meta' : 'user';
}
