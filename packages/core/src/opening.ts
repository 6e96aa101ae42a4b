import type { Clock } from './clock.ts';
import { NativeCompactionError } from './errors.ts';
import type { ExitFacts } from './machine.ts';
import type { SessionRecord } from './record.ts';

/** Characters that an error quotes of each end of the vendor's stderr: Node names an error first, others last. */
const SAID_CHARACTERS = 400;

/** Waits until the native side has opened the session; the error says what the process said, or how long it was silent. */
export interface Opening {
  /** The native side opened the session, or answered the opening with an error. */
  onRecord(record: SessionRecord): void;
  ended(exit: ExitFacts): void;
  readonly done: Promise<void>;
}

export function createOpening(clock: Clock, timeoutMs: number, isResume: boolean, signal?: AbortSignal): Opening {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = clock.after(timeoutMs, () => {
    const message = `The vendor process did not open the session within ${timeoutMs} ms. Raise readTimeoutMs, or try it by hand.`;
    reject(new NativeCompactionError('open_timeout', message));
  });
  const close = () => reject(new NativeCompactionError('runtime_closed', 'The runtime was closed before the session was open.'));
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();
  const stop = () => {
    timer.cancel();
    signal?.removeEventListener('abort', close);
  };
  promise.then(stop, stop);
  return {
    onRecord(record) {
      if (record.type === 'session_opened') resolve();
      if (record.type === 'session_refused') reject(refusal(record.message, isResume));
    },
    ended: (exit) => reject(openFailure(exit, isResume)),
    done: promise,
  };
}

const RESUME_ADVICE =
  'Check that this session exists for this account, home and folder (cwd), that it has had a turn, and that no other process holds it.';

function refusal(message: string, isResume: boolean): NativeCompactionError {
  const refused = `The vendor refused to open the session: ${message}`;
  if (isResume) return new NativeCompactionError('resume_failed', `${refused}\n${RESUME_ADVICE}`);
  return new NativeCompactionError('open_failed', refused);
}

function openFailure(exit: ExitFacts, isResume: boolean): NativeCompactionError {
  const said = endsOf(exit.stderrTail?.trim() ?? '') || 'it said nothing on stderr';
  const how = exit.signal ? `signal ${exit.signal}` : `code ${exit.code ?? 'unknown'}`;
  const ended = `The vendor process ended before it opened the session (${how}): ${said}`;
  if (isResume) return new NativeCompactionError('resume_failed', `${ended}\n${RESUME_ADVICE}`);
  return new NativeCompactionError(
    'open_failed',
    `${ended}\nCheck that the executable is the vendor's CLI, what it runs on, and the arguments passed to it.`,
  );
}

function endsOf(text: string): string {
  if (text.length <= 2 * SAID_CHARACTERS) return text;
  return `${text.slice(0, SAID_CHARACTERS)}\n…\n${text.slice(-SAID_CHARACTERS)}`;
}
