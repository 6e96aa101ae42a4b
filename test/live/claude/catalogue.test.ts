import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@native-compaction/transport';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaudeBench, openClaudeBench, openWired, say } from '../../support/claude.ts';
import { versionsOf } from '../../support/vendors.ts';

const mcpServer = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url));
const isRequest = (frame: JsonObject, subtype: string) => (frame.request as JsonObject | undefined)?.subtype === subtype;

interface Row {
  readonly what: string;
  readonly write?: Readonly<Record<string, string | object>>;
  readonly args?: (bench: ClaudeBench) => string[];
  readonly env?: Record<string, string>;
}
const command = 'Say hello to $ARGUMENTS.';
const skill = '---\nname: compact\ndescription: not the builtin one\n---\nSay hello.\n';
const plugin = { 'plug/.claude-plugin/plugin.json': { name: 'compact', version: '1.0.0' }, 'plug/commands/compact.md': command };

/** G2: what takes Claude's own command away. */
const hidden: Row[] = [
  { what: 'a project command', write: { '.claude/commands/compact.md': command } },
  { what: 'a user command', write: { '~/claude/commands/compact.md': command } },
  { what: 'a project skill', write: { '.claude/skills/compact/SKILL.md': skill } },
  { what: 'DISABLE_COMPACT', env: { DISABLE_COMPACT: '1' } },
  { what: '--disable-slash-commands', args: () => ['--disable-slash-commands'] },
];
/** What looks like it and does not. */
const builtin: Row[] = [
  {
    what: 'a plugin named compact with a command compact',
    write: plugin,
    args: (bench) => [`--plugin-dir=${bench.project}/plug`],
  },
  {
    what: 'ns/compact and Compact',
    write: { '.claude/commands/ns/compact.md': command, '.claude/commands/Compact.md': command },
  },
  {
    what: 'an MCP server compact with a prompt compact',
    write: { 'mcp.json': { mcpServers: { compact: { command: process.execPath, args: [mcpServer] } } } },
    args: (bench) => [`--mcp-config=${bench.project}/mcp.json`, '--strict-mcp-config'],
  },
  {
    what: 'a project command without project settings',
    write: { '.claude/commands/compact.md': command },
    args: () => ['--setting-sources='],
  },
  { what: '--bare with a project command', write: { '.claude/commands/compact.md': command }, args: () => ['--bare'] },
  { what: '--safe-mode with a project command', write: { '.claude/commands/compact.md': command }, args: () => ['--safe-mode'] },
  { what: 'plan mode', args: () => ['--permission-mode=plan'] },
  { what: 'a session that is not kept', args: () => ['--no-session-persistence'] },
];

describe.each(versionsOf('claude'))('G2 the catalogue of Claude Code %s', (version) => {
  let bench: ClaudeBench;
  afterEach(() => bench.close());
  const open = async ({ write = {}, args, env }: Row) => {
    bench = await openClaudeBench(version, undefined, env);
    for (const [path, content] of Object.entries(write)) bench.write(path, content);
    const session = await bench.open({}, { args: args?.(bench) });
    await say(session, 'hello');
    return session;
  };

  test.each(hidden)('G2 $what: rejected/not_builtin, and no command is written', async (row) => {
    const session = await open(row);
    const asked = bench.server.requests.length;
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_builtin' });
    await say(session, 'still there');
    expect(bench.server.requests).toHaveLength(asked + 1);
  });

  test.each(builtin)('G2 $what: does not hide it', async (row) => {
    const session = await open(row);
    expect(await session.compact({ instructions: 'two\nlines' })).toMatchObject({ status: 'completed' });
    expect(bench.server.requests.find((request) => request.isCompaction)?.messages.at(-1)?.text).toContain('two\nlines');
  });

  test('a command file made after the start is not seen until a reload, and then it is refused', async () => {
    bench = await openClaudeBench(version);
    const changed = Promise.withResolvers<void>();
    const wired = await openWired(bench, { watch: (_dir, frame) => frame.subtype === 'commands_changed' && changed.resolve() });
    await say(wired.session, 'hello');
    bench.write('.claude/commands/compact.md', command);
    expect(await wired.session.compact()).toMatchObject({ status: 'completed' });
    await say(wired.session, 'more');
    wired.write({ type: 'control_request', request_id: 'reload-1', request: { subtype: 'reload_skills' } });
    await changed.promise;
    expect(await wired.session.compact()).toMatchObject({ status: 'rejected', reason: 'not_builtin' });
  });

  test('G5 a reload in the gap between reading and dispatch cannot make a custom prompt a completed compaction', async () => {
    bench = await openClaudeBench(version);
    let reloads = 0;
    const wired = await openWired(bench, {
      watch(dir, frame, write) {
        if (
          dir !== 'out' ||
          !isRequest(frame, 'initialize') ||
          reloads > 0 ||
          !existsSync(`${bench.project}/.claude/commands/compact.md`)
        )
          return;
        reloads += 1;
        write({ type: 'control_request', request_id: 'reload-1', request: { subtype: 'reload_skills' } });
      },
    });
    await say(wired.session, 'hello');
    bench.write('.claude/commands/compact.md', command);
    const result = await wired.session.compact();
    expect(reloads).toBe(1);
    if (result.status === 'rejected') expect(result.reason).toBe('not_builtin');
    else expect(result).toMatchObject({ status: 'unconfirmed', reason: 'no_evidence' });
    expect(bench.server.requests.some((request) => request.isCompaction)).toBe(false);
    await say(wired.session, 'still there');
  });

  test('R3 a process that does not answer the read in time is not_ready; its late answer dispatches nothing', async () => {
    bench = await openClaudeBench(version);
    let pid = 0;
    const written: unknown[] = [];
    const session = await bench.open(
      {},
      {
        readTimeoutMs: 3_000,
        tap(line) {
          pid = line.pid;
          if (line.dir === 'out') written.push(line.frame);
        },
      },
    );
    await say(session, 'hello');
    process.kill(pid, 'SIGSTOP');
    expect(await session.compact()).toMatchObject({ status: 'rejected', reason: 'not_ready' });
    process.kill(pid, 'SIGCONT');
    await say(session, 'awake again');
    expect(JSON.stringify(written)).not.toContain('/compact');
    expect(await session.compact()).toMatchObject({ status: 'completed' });
  });

  test('P2 reading it three times keeps settings, prompts and tools, with one SessionStart and one MCP start', async () => {
    bench = await openClaudeBench(version);
    const [hookLog, mcpLog] = [`${bench.home}/hook.log`, `${bench.home}/mcp.log`];
    bench.write('~/claude/settings.json', {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `echo started >> ${hookLog}` }] }] },
    });
    bench.write('.claude/commands/compact.md', command);
    bench.write('mcp.json', { mcpServers: { compact: { command: process.execPath, args: [mcpServer], env: { LOG: mcpLog } } } });
    const args = [`--mcp-config=${bench.project}/mcp.json`, '--strict-mcp-config', '--permission-mode=acceptEdits'];
    const modes: unknown[] = [];
    const session = await bench.open(
      { prompt: { system: 'MY-SYSTEM', append: 'MY-APPEND' } },
      {
        args,
        tap({ frame }) {
          const mode = ((frame as JsonObject | undefined)?.response as { response?: JsonObject } | undefined)?.response
            ?.current_permission_mode;
          if (mode !== undefined) modes.push(mode);
        },
      },
    );
    await say(session, 'before');
    for (let round = 0; round < 3; round += 1) expect(await session.compact()).toMatchObject({ reason: 'not_builtin' });
    await say(session, 'after');
    const [before, after] = [bench.server.requests[0], bench.server.requests[1]];
    expect(after?.system).toBe(before?.system);
    expect(after?.system).toContain('MY-SYSTEM');
    expect(after?.system).toContain('MY-APPEND');
    expect(after?.tools).toBe(before?.tools);
    expect(modes).toEqual(['acceptEdits', 'acceptEdits', 'acceptEdits', 'acceptEdits']);
    expect(readFileSync(hookLog, 'utf8')).toBe('started\n');
    expect(readFileSync(mcpLog, 'utf8').match(/^initialize$/gm)).toHaveLength(1);
  });
});
