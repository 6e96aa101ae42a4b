import { createClaudeRuntime } from '@native-compaction/claude';
import { openClaudeLab, type Script } from '@native-compaction/conformance';
import type { CompactionResult, Session } from '@native-compaction/core';
import { allVersionsOf, claudeExecutable } from '../test/support/vendors.ts';

/** Real Claude Code sessions, compacted against a loopback model: no account, no key, no network. */
const flags = process.argv.slice(2);
const isJson = flags.includes('--json');
if (flags.some((flag) => flag !== '--json')) {
  console.error('Usage: npm run demo [-- --json]');
  process.exit(2);
}
const version = allVersionsOf('claude').at(-1) ?? '';
const executable = claudeExecutable(version);
const model = 'claude-sonnet-4-5';

/** Which prompt texts the next provider request carried, as the model server received it. */
interface NextRequest {
  newSystem: boolean;
  newAppend: boolean;
  oldSystem: boolean;
  oldAppend: boolean;
}

async function withLab(what: (lab: Awaited<ReturnType<typeof openClaudeLab>>) => Promise<void>, script?: Script) {
  const lab = await openClaudeLab(script);
  try {
    await what(lab);
  } finally {
    await lab.close();
  }
}

function show(scenario: string, session: Session, result: CompactionResult, nextRequest?: NextRequest) {
  const reason = 'reason' in result ? result.reason : result.status === 'aborted' ? result.by : undefined;
  const { status, context, evidence } = result;
  if (isJson) {
    console.log(
      JSON.stringify({
        runtime: 'claude',
        version,
        scenario,
        status,
        reason,
        context,
        evidence,
        ...(nextRequest ? { nextRequest } : {}),
      }),
    );
    return;
  }
  console.log(`\n${scenario}`);
  console.log(`  ${status}${reason ? ` (${reason})` : ''}, context ${context}`);
  if ('message' in result && result.message) console.log(`  Claude said: ${result.message}`);
  if ('tokens' in result && result.tokens)
    console.log(`  tokens: ${result.tokens.before} → ${result.tokens.after} (Claude's estimate; so small a session grows)`);
  const last = session.frame(evidence.at(-1)?.frame ?? 0)?.native as { type?: unknown; subtype?: unknown } | undefined;
  if (status === 'failed') console.log(`  its last frame is a ${last?.type} that says "${last?.subtype}" all the same`);
  for (const { frame, kind, ids } of evidence) {
    const { direction } = session.frame(frame) ?? {};
    const named = Object.entries(ids)
      .map(([name, id]) => `${name} ${id}`)
      .join(', ');
    console.log(
      `  frame ${String(frame).padStart(3)} ${direction === 'out' ? 'sent' : 'seen'}  ${kind}${named ? `  ${named}` : ''}`,
    );
  }
  if (nextRequest)
    for (const [name, isThere] of Object.entries(nextRequest))
      console.log(`  next provider request: ${name} ${isThere ? 'is in it' : 'is not in it'}`);
}

if (!isJson) console.log(`Claude Code ${version}, against a model on 127.0.0.1`);

await withLab(async (lab) => {
  const runtime = createClaudeRuntime({ executable, env: lab.env });
  await using session = await runtime.open({ cwd: lab.project, model });
  await session.send('Remember the word heron.').ended;
  show('completed', session, await session.compact());
});

await withLab(async (lab) => {
  const command = 'echo "Not while the release is open." >&2; exit 2';
  lab.write('~/claude/settings.json', { hooks: { PreCompact: [{ hooks: [{ type: 'command', command }] }] } });
  const runtime = createClaudeRuntime({ executable, env: lab.env });
  await using session = await runtime.open({ cwd: lab.project, model });
  await session.send('Hello.').ended;
  show('blocked by a hook', session, await session.compact());
});

await withLab(async (lab) => {
  const runtime = createClaudeRuntime({ executable, env: lab.env });
  await using session = await runtime.open({ cwd: lab.project, model });
  await session.send('Hello.').ended;
  session.on('record', (record) => record.type === 'compaction_dispatched' && void session.abort());
  show('cancelled while queued', session, await session.compact());
});

await withLab(async (lab) => {
  const runtime = createClaudeRuntime({ executable, env: lab.env });
  const first = await runtime.open({ cwd: lab.project, model, prompt: { system: 'OLD-SYSTEM-TEXT', append: 'OLD-APPEND-TEXT' } });
  await first.send('Hello.').ended;
  await first.dispose();
  const prompt = { system: 'NEW-SYSTEM-TEXT', append: 'NEW-APPEND-TEXT' };
  await using restored = await runtime.open({ cwd: lab.project, model, resume: first.nativeId, prompt });
  const result = await restored.compact();
  await restored.send('Go on.').ended;
  const sent = JSON.stringify(lab.server.requests.at(-1));
  const nextRequest = {
    newSystem: sent.includes('NEW-SYSTEM-TEXT'),
    newAppend: sent.includes('NEW-APPEND-TEXT'),
    oldSystem: sent.includes('OLD-SYSTEM-TEXT'),
    oldAppend: sent.includes('OLD-APPEND-TEXT'),
  };
  show('restored with a changed prompt', restored, result, nextRequest);
});
