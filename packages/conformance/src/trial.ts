import type { ManualCompaction, OpenOptions, Runtime, Session } from '@native-compaction/core';
import type { JsonObject, TapLine } from '@native-compaction/transport';
import type { Rounds } from './faults/plan.ts';
import { type FaultProxy, openFaultProxy } from './faults/proxy.ts';
import type { Lab } from './lab.ts';
import { DEFAULT_SUMMARY, type Script } from './model-server.ts';
import { requirementOf } from './requirements.ts';
import type { Subject, SubjectOptions, WrittenKind } from './subject.ts';
import { isLike, shown, Violation } from './violation.ts';

/** One run of one case: a lab, the sessions opened in it, everything that passed their wires, and what was asked to hold. */
export interface Trial {
  readonly subject: Subject;
  readonly lab: Lab;
  /** The variables of the host, before a runtime was made. */
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** What the runtime declares. */
  readonly capability: ManualCompaction | undefined;
  /** What passed the wires of all sessions, redacted, in order. */
  readonly lines: readonly TapLine[];
  /** The requirements that were looked at. */
  readonly seen: ReadonlySet<string>;
  open(options?: OpenOptions, launch?: SubjectOptions): Promise<Session>;
  /** An open session with something to compact. */
  openSeeded(options?: OpenOptions, launch?: SubjectOptions): Promise<Session>;
  /** A seeded session whose bytes pass a fault proxy; its rounds begin with the commands that are written. */
  openProxied(rounds?: Rounds, launch?: SubjectOptions): Promise<{ readonly session: Session; readonly proxy: FaultProxy }>;
  /** The provider keeps every summary back until `release`; prompts are answered. */
  holdSummaries(): { readonly asked: Promise<unknown>; release(script?: Script): void };
  /** What of a kind was written so far. */
  written(kind: WrittenKind): readonly TapLine[];
  /** How many frames of ours were written so far, of whatever kind. */
  readonly outgoing: number;
  /** How many times the provider was asked for a summary. */
  summaries(): number;
  replacements(session: Session): number;
  holds(requirement: string, isTrue: boolean, observed: string): void;
  /** Every member of `expected` is in `actual`. */
  like(requirement: string, actual: unknown, expected: unknown): void;
  /** Closes every runtime that was made so far, with the sessions they opened. */
  closeRuntimes(): Promise<void>;
  close(): Promise<void>;
}

export const answered: Script = (request) => ({ text: request.isCompaction ? DEFAULT_SUMMARY : 'fine' });

/** The vendor's process, by what it said last. */
export function pidOf(lines: readonly TapLine[]): number {
  return lines.at(-1)?.pid ?? 0;
}

export async function openTrial(subject: Subject, options: { readonly automatic?: boolean } = {}): Promise<Trial> {
  const lab = await subject.openLab(undefined, options);
  const hostEnvironment = { ...process.env };
  const lines: TapLine[] = [];
  const seen = new Set<string>();
  const runtimes: Runtime<OpenOptions>[] = [];
  const proxies: FaultProxy[] = [];
  const closeRuntimes = async () => void (await Promise.all(runtimes.map((runtime) => runtime.close())));

  const open = async (options: OpenOptions = {}, launch: SubjectOptions = {}) => {
    const tap = (line: TapLine) => {
      lines.push(line);
      launch.tap?.(line);
    };
    const runtime = subject.createRuntime({ ...launch, env: { ...lab.env, ...launch.env }, tap }, lab);
    runtimes.push(runtime);
    return runtime.open({ cwd: lab.project, ...subject.open, ...options });
  };
  const openSeeded = async (options?: OpenOptions, launch?: SubjectOptions) => {
    const session = await open(options, launch);
    await subject.seed(session);
    return session;
  };
  const holds = (requirement: string, isTrue: boolean, observed: string) => {
    seen.add(requirement);
    if (!isTrue) throw new Violation(requirementOf(requirement), observed);
  };
  return {
    subject,
    lab,
    hostEnvironment,
    capability: subject.createRuntime({}, lab).manualCompaction,
    lines,
    seen,
    open,
    openSeeded,
    async openProxied(rounds = [], launch = {}) {
      if (!subject.command) throw new Error('A backend without a process has no bytes to disturb.');
      const isCommand = (frame: JsonObject) => subject.written(frame) === 'compact';
      const proxy = await openFaultProxy({ command: subject.command, folder: lab.home, rounds, isCommand });
      proxies.push(proxy);
      const session = await openSeeded({}, { ...launch, executable: proxy.executable });
      return { session, proxy };
    },
    holdSummaries() {
      const gate = Promise.withResolvers<void>();
      lab.server.script(async (request) => {
        if (request.isCompaction) await gate.promise;
        return answered(request);
      });
      return {
        asked: lab.server.next((request) => request.isCompaction),
        release(script = answered) {
          lab.server.script(script);
          gate.resolve();
        },
      };
    },
    written: (kind) => lines.filter(({ dir, frame }) => dir === 'out' && subject.written(frame as JsonObject) === kind),
    get outgoing() {
      return lines.filter(({ dir }) => dir === 'out').length;
    },
    summaries: () => lab.server.requests.filter((request) => request.isCompaction).length,
    replacements: (session) => subject.replacements(lab, session.nativeId ?? ''),
    holds,
    like: (requirement, actual, expected) =>
      holds(requirement, isLike(actual, expected), `${shown(actual)} is not like ${shown(expected)}`),
    closeRuntimes,
    async close() {
      await closeRuntimes();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await lab.close();
    },
  };
}
