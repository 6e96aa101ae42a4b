import {
  type ConformanceCase,
  type ConformanceReport,
  casesFor,
  conformanceCases,
  openTrial,
  promisesOf,
  runConformance,
  type Subject,
} from '@native-compaction/conformance';
import { NativeCompactionError } from '@native-compaction/core';
import { locate, readVersion, toNoVersion } from '../executable.ts';
import { exitCodes } from '../exit-codes.ts';
import { takeInterrupts } from '../interrupts.ts';
import { print, printJson } from '../output.ts';
import { createPageFile } from '../page-file.ts';
import { type ConformanceRun, toConformanceLines } from '../render/conformance.ts';
import { toConformancePage } from '../render/conformance-page.ts';
import { type KnownRuntime, type RuntimeName, runtimes } from '../runtimes.ts';
import { startStatusLine } from '../status-line.ts';
import { trackSubject } from '../tracked-subject.ts';

export interface ConformanceCommandOptions {
  readonly executable?: string;
  readonly only?: readonly string[];
  readonly json?: true;
  readonly html?: string;
}

/** Runs the suite on the CLI that is installed here, in homes of its own and against a model on loopback. 0 if every case that was asked for was run and none failed, else 1. */
export async function conformance(name: RuntimeName, options: ConformanceCommandOptions): Promise<number> {
  const known: KnownRuntime = runtimes[name];
  const cases = options.only ? casesFor(options.only) : conformanceCases;
  const executable = locate(options.executable ?? known.executable);
  const { version, said } = await readVersion(executable);
  if (version === undefined) throw notTheVendor(known, executable, `${toNoVersion(said)}.`);
  const page = options.html === undefined ? undefined : createPageFile(options.html);
  const line = startStatusLine(known.title);
  const stop = new AbortController();
  const { subject, close } = trackSubject(known.subject(executable, version));
  const leave = () => process.exit(exitCodes.internal);
  let ending: Promise<never> | undefined;
  const interrupts = takeInterrupts({
    first() {
      line.say('stopping after this case', 'Ctrl-C again ends at once.');
      stop.abort();
    },
    second() {
      line.say('ending what runs');
      page?.discard();
      ending = close().then(leave);
    },
    third: leave,
  });
  try {
    await checkSpeech(known, executable, subject);
    const report = await run(subject, cases, stop.signal, line.say);
    await ending;
    line.stop();
    const result: ConformanceRun = {
      title: known.title,
      executable,
      isTested: isTested(known, version),
      asked: cases.length,
      report,
    };
    page?.write(toConformancePage(result));
    if (options.json) printJson({ executable, ...report });
    else for (const text of toConformanceLines(result, process.stdout.columns)) print(text);
    const isWell = report.failures.length === 0 && report.cases.length === cases.length;
    return isWell ? exitCodes.completed : exitCodes.internal;
  } catch (error) {
    await ending;
    page?.discard();
    throw error;
  } finally {
    line.stop();
    interrupts.stop();
  }
}

/** Tells of each case as it begins. */
function run(
  subject: Subject,
  cases: readonly ConformanceCase[],
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<ConformanceReport> {
  const tell = (ended: number) => {
    const next = cases[ended];
    if (next && !signal.aborted) say(`case ${ended + 1} of ${cases.length}, ${promisesOf(next).join(' ')}: ${next.title}`);
  };
  let ended = 0;
  tell(ended);
  return runConformance(subject, {
    cases,
    signal,
    onCase() {
      ended += 1;
      tell(ended);
    },
  });
}

/** One session is opened first, so that a program that is not the agent is told as that and not as a failure of every case. */
async function checkSpeech(known: KnownRuntime, executable: string, subject: Subject): Promise<void> {
  const trial = await openTrial(subject);
  try {
    await trial.open();
  } catch (error) {
    throw notTheVendor(
      known,
      executable,
      `no session could be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await trial.close();
  }
}

function notTheVendor({ title, executable: name }: KnownRuntime, executable: string, why: string): NativeCompactionError {
  const advice = `Name the CLI of ${title} with --executable PATH, or leave it out to use the "${name}" in PATH.`;
  return new NativeCompactionError('executable_not_found', `${executable} does not act as ${title}: ${why} ${advice}`);
}

function isTested({ capability }: KnownRuntime, version: string): boolean {
  return capability.testedVersions.includes(version);
}
