import {
  type CompactionResult,
  NativeCompactionError,
  type OpenOptions,
  type PromptOptions,
  type Reconciled,
  type Runtime,
  reconcile,
  type Session,
} from '@native-compaction/core';
import { promptEffects } from '@native-compaction/restore';
import { createEvidenceFile, type EvidenceFile, optional } from '@native-compaction/transport';
import { adviceOnResult } from '../advice-on-error.ts';
import { type Cancellation, createCancellation } from '../cancellation.ts';
import { locate } from '../executable.ts';
import { exitCodes } from '../exit-codes.ts';
import { print, printJson, warn } from '../output.ts';
import { toPlain } from '../render/plain.ts';
import { toResultLines } from '../render/result.ts';
import { type KnownRuntime, type RuntimeName, runtimes } from '../runtimes.ts';
import { type StatusLine, startStatusLine } from '../status-line.ts';

export interface CompactCommandOptions {
  readonly resume: string;
  readonly cwd?: string;
  readonly instructions?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly model?: string;
  readonly executable?: string;
  readonly timeout?: number;
  readonly evidence?: string;
  readonly json?: true;
}

/** Resumes a session, compacts it and says what came of it; resolves with the exit code of its status. */
export async function compact(name: RuntimeName, options: CompactCommandOptions): Promise<number> {
  const known: KnownRuntime = runtimes[name];
  if (!known.nativeId.test(options.resume)) {
    const message = `--resume: "${options.resume}" does not look like a session id of ${known.title}.`;
    throw new NativeCompactionError('invalid_options', message);
  }
  const executable = options.executable === undefined ? undefined : locate(options.executable);
  const cancellation = createCancellation();
  const evidence = options.evidence === undefined ? undefined : startEvidence(options.evidence, cancellation);
  const runtime = known.create({
    ...optional('executable', executable),
    ...(evidence ? { tap: evidence.tap, retain: evidence.retain } : {}),
    ...(known.capability.instructions === 'configuration' ? optional('summaryPrompt', options.instructions) : {}),
  });
  const line = startStatusLine(known.title);
  let isOpen = false;
  /** Says what is known, once; it may be all there is time for. */
  let tell: ((afterwards?: Reconciled) => void) | undefined;
  cancellation.begin({
    line,
    runtime,
    leave() {
      line.stop();
      tell?.();
      if (!isOpen) evidence?.discard();
    },
  });
  try {
    const session = await runtime.open(toOpenOptions(known, options));
    isOpen = true;
    evidence?.follow(session);
    session.on('record', line.record);
    const result = await cancellation.compact(session, {
      ...(known.capability.instructions === 'per-request' ? optional('instructions', options.instructions) : {}),
      ...optional('timeoutMs', options.timeout),
    });
    const prompt = promptEffects(session.promptChange, result);
    const isGiven = options.systemPrompt !== undefined || options.appendSystemPrompt !== undefined;
    const given = isGiven ? prompt : undefined;
    evidence?.result(session, result, given);
    tell = (afterwards) => {
      tell = undefined;
      line.stop();
      if (options.json)
        printJson({ ...result, ...optional('nativeId', session.nativeId), prompt, ...optional('afterwards', afterwards) });
      else {
        const beside = { prompt: given, afterwards: afterwards?.context, isCancelled: cancellation.isAsked };
        for (const text of toResultLines(result, beside, process.stdout.columns)) print(text);
      }
    };
    const afterwards = result.context === 'unknown' ? await lookAt(runtime, session, result, line) : undefined;
    if (afterwards) evidence?.afterwards(afterwards);
    tell?.(afterwards);
    for (const text of await adviceOnResult(result, name, executable)) warn(text);
    return exitCodes[result.status];
  } catch (error) {
    cancellation.stop();
    if (!cancellation.isGivenUp) throw error;
    line.stop();
    warn('Given up while the session was being opened: nothing was sent to be compacted.');
    return exitCodes.internal;
  } finally {
    line.stop();
    await runtime.close();
    if (isOpen) evidence?.close();
    else evidence?.discard();
    if (evidence?.failure !== undefined)
      warn(`The evidence file is not whole (${evidence.failure}): make room, and write it anew. The result stands.`);
  }
}

/** From here on no signal leaves an empty file behind. */
function startEvidence(path: string, cancellation: Cancellation): EvidenceFile {
  try {
    return createEvidenceFile(path);
  } catch (error) {
    cancellation.stop();
    throw error;
  }
}

/** A session lives in its folder: where none is named, it is the one its own files tell. */
function toOpenOptions(known: KnownRuntime, options: CompactCommandOptions): OpenOptions {
  const { resume, model, systemPrompt, appendSystemPrompt } = options;
  const prompt: PromptOptions = { ...optional('system', systemPrompt), ...optional('append', appendSystemPrompt) };
  return { resume, prompt, ...optional('cwd', options.cwd ?? storedFolder(known, resume)), ...optional('model', model) };
}

function storedFolder(known: KnownRuntime, nativeId: string): string | undefined {
  for (const stored of known.sessions()) if (stored.nativeId === nativeId) return stored.cwd;
  return undefined;
}

/** What the agent's own files say once its process is gone, which no result can know. */
async function lookAt(
  runtime: Runtime<OpenOptions>,
  session: Session,
  { requestId }: CompactionResult,
  line: StatusLine,
): Promise<Reconciled | undefined> {
  const checkpoint = session.checkpoint();
  line.say('ending the agent, to look at what its files say');
  await runtime.close();
  try {
    return await reconcile(runtime, { checkpoint, requestId });
  } catch (error) {
    // The result stands, whatever its files are.
    warn(`The agent's own files cannot be read: ${toPlain(error instanceof Error ? error.message : String(error))}`);
    return undefined;
  }
}
