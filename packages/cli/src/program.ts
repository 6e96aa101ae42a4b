import { createRequire } from 'node:module';
import { createRedactor, isNativeCompactionError } from '@native-compaction/core';
import { optional } from '@native-compaction/transport';
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';
import { type Asked, adviceOnError } from './advice-on-error.ts';
import { parseCount, parseDuration, parseGiven, parseText } from './arguments.ts';
import { compact } from './commands/compact.ts';
import { conformance } from './commands/conformance.ts';
import { doctor } from './commands/doctor.ts';
import { report } from './commands/report.ts';
import { sessions } from './commands/sessions.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { toOptionWords } from './option-words.ts';
import { warn } from './output.ts';
import { toPlain, toVisible } from './render/plain.ts';
import { type RuntimeName, runtimeNames } from './runtimes.ts';

export { exitCodes } from './exit-codes.ts';

/** Runs one command line; resolves with the exit code and never rejects. */
export async function runCli(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.completed;
  const output = watchOutput();
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return tell(error, program);
  }
  const lost = await output();
  if (lost === undefined) return exitCode;
  warn(`The output could not be written (${lost}). Make room, or write it elsewhere.`);
  if (args[0] === 'compact') warn(`What was lost is the result: it was ${statusOf(exitCode)}.`);
  return exitCodes.internal;
}

/** A reader that has seen enough is no reason to leave a compaction alone, and no error; a disk that is full under the results is one. */
function watchOutput(): () => Promise<string | undefined> {
  let lost: string | undefined;
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') lost ??= code;
  });
  process.stderr.on('error', () => undefined); // there is nowhere left to tell of it
  return async () => {
    await new Promise((done) => setImmediate(done));
    return lost;
  };
}

function statusOf(exitCode: number): string {
  return Object.entries(exitCodes).find(([, code]) => code === exitCode)?.[0] ?? 'not known';
}

/** Its own, from its manifest. */
const { version } = createRequire(import.meta.url)('native-compaction/package.json') as { version: string };

function createProgram(end: (exitCode: number) => void): Command {
  const program = new Command('native-compaction');
  program
    .description('Asks a coding agent to compact its own session, and tells the truth about what came of it.')
    .version(version, '-v, --version', 'the version of this command')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({ writeErr: (text) => warn(toVisible(redacted(text.trimEnd()))) })
    .showHelpAfterError('Run it with --help for what it takes.');

  program
    .command('doctor')
    .description('which agents are on this machine, and what is missing; spends no tokens and opens no connection')
    .option('--json', 'one JSON object')
    .action(async (options) => end(await doctor(options)));
  program
    .command('sessions')
    .description('the sessions that can be resumed, newest first')
    .addArgument(runtimeArgument())
    .option('--cwd <dir>', 'only those of this folder', parseGiven)
    .option('--limit <n>', 'how many', parseCount, 20)
    .option('--json', 'a JSON array')
    .action((runtime: RuntimeName, options) => end(sessions(runtime, options)));
  program
    .command('compact')
    .description('compacts a session natively; Ctrl-C asks the agent to cancel, a second one stops waiting')
    .addArgument(runtimeArgument())
    .requiredOption('--resume <id>', 'the session, as "sessions" names it', parseGiven)
    .option('--cwd <dir>', "the session's folder; as its own files say when absent", parseGiven)
    .option('--instructions <text>', 'what the summary should keep; for Codex, its whole summary prompt', parseGiven)
    .option('--system-prompt <text|@file>', 'the system prompt from now on', parseText)
    .option('--append-system-prompt <text|@file>', 'what is added to it from now on', parseText)
    .option('--model <model>', 'as the agent names it', parseGiven)
    .option('--executable <path>', "the agent's CLI", parseGiven)
    .option('--timeout <duration>', 'how long to wait, such as 90s or 10m', parseDuration)
    .option('--evidence <file>', 'writes what passed between here and the agent, redacted, to a new file', parseGiven)
    .option('--json', 'the result as one JSON object')
    .action(async (runtime: RuntimeName, options) => end(await compact(runtime, options)));
  program
    .command('conformance')
    .description('runs the suite on the CLI that is installed here, against a model on this machine; never your account')
    .addArgument(runtimeArgument())
    .option('--executable <path>', "the agent's CLI", parseGiven)
    .option('--only <id...>', 'the cases that show these promises (R6) or requirements (proof-found)')
    .option('--json', 'the report as one JSON object')
    .option('--html <file>', 'writes the report as a page of its own to a new file', parseGiven)
    .action(async (runtime: RuntimeName, options) => end(await conformance(runtime, options)));
  program
    .command('report')
    .description('shows an evidence file, here or as a page')
    .argument('<file>', 'as "compact --evidence" wrote it')
    .option('--html <file>', 'writes a page of its own to a new file', parseGiven)
    .action((file: string, options) => end(report(file, options)));
  return program;
}

function runtimeArgument(): Argument {
  return new Argument('<runtime>', runtimeNames.join(', ')).argParser((value) => {
    if (!(runtimeNames as string[]).includes(value)) throw new InvalidArgumentError(`It is one of ${runtimeNames.join(', ')}.`);
    return value;
  });
}

/** Says what was wrong and what to do about it. */
async function tell(error: unknown, program: Command): Promise<number> {
  // Commander has said it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
  if (!isNativeCompactionError(error)) {
    warnPlain(`Something went wrong here: ${error instanceof Error ? error.message : String(error)}`);
    return exitCodes.internal;
  }
  warnPlain(toOptionWords(error.message));
  for (const line of await adviceOnError(error, askedIn(program))) warnPlain(line);
  return exitCodeOf(error.code);
}

function askedIn(program: Command): Asked {
  const command = program.commands.find(({ processedArgs }) => processedArgs.length > 0);
  const name = runtimeNames.find((known) => known === command?.processedArgs[0]);
  const { executable } = command?.opts<{ executable?: string }>() ?? {};
  return { ...optional('name', name), ...optional('executable', executable) };
}

/** What an agent said may be in it, and what was typed, where a key may stand by mistake. */
function warnPlain(text: string): void {
  for (const line of redacted(text).split('\n')) warn(toPlain(line));
}

function redacted(text: string): string {
  return createRedactor(process.env).text(text);
}
