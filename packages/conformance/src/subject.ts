import type { OpenOptions, Runtime, RuntimeId, Session } from '@native-compaction/core';
import type { JsonObject, Tap } from '@native-compaction/transport';
import type { Lab } from './lab.ts';
import type { Reply, ReplyUsage } from './model-messages.ts';
import type { Script } from './model-server.ts';

/** What the suite sets on a runtime; a backend in process takes what applies to it. */
export interface SubjectOptions {
  /** The executable to start in the place of the subject's own. */
  readonly executable?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly tap?: Tap;
  readonly readTimeoutMs?: number;
}

/** What a frame is that was written to the vendor; the rest is of no interest to the suite. */
export type WrittenKind = 'compact' | 'input' | 'cancel' | 'read';

/** A backend under test, of one version: how it is opened, and the few native facts the suite cannot know. */
export interface Subject {
  readonly runtime: RuntimeId;
  readonly version: string;
  /** How the vendor's process is started; absent where there is none, and cases about processes and bytes do not apply. */
  readonly command?: readonly [string, ...string[]];
  createRuntime(options: SubjectOptions, lab: Lab): Runtime<OpenOptions>;
  /** A fresh home with a loopback provider; `automatic` makes the vendor compact by itself beyond the subject's figures. */
  openLab(script?: Script, options?: { readonly automatic?: boolean }): Promise<Lab>;
  /** Options of every session, such as a model. */
  readonly open?: OpenOptions;
  /** Enough history that there is something to compact. */
  seed(session: Session): Promise<void>;
  /** How often the history of a session was replaced, by the vendor's own file. */
  replacements(lab: Lab, nativeId: string): number;
  written(frame: JsonObject): WrittenKind | undefined;
  /** Whether the gate asks the vendor something before the command leaves. */
  readonly hasGateRead: boolean;
  /** A compaction that somebody else asks for on the same wire. */
  foreign?(session: Session): JsonObject;
  /** Why a compaction of somebody else on the same wire cannot be told from ours, if it cannot. */
  readonly looksAlike?: string;
  /** What the provider says its last answer used, so that the vendor compacts by itself with the next prompt. */
  readonly automatic?: ReplyUsage;
  /** A tool call that the vendor asks the host about, which makes the file. */
  toolCall?(file: string): Reply;
  /** Texts that the vendor would take as a command of the session. */
  readonly reserved?: readonly string[];
  /** What this version cannot do, by requirement, in addition to what the manifest says of the runtime. */
  readonly limits?: Readonly<Record<string, string>>;
}
