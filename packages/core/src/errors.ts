/** Codes of the errors this library throws or rejects with. A host branches on the code, never on the text. */
export type ErrorCode =
  | 'invalid_options'
  | 'request_id_reused'
  | 'invalid_input'
  | 'reserved_command'
  | 'corrupt_checkpoint'
  | 'foreign_checkpoint'
  | 'newer_checkpoint'
  | 'unknown_request'
  | 'foreign_cursor'
  | 'executable_not_found'
  | 'cwd_not_found'
  | 'open_failed'
  | 'resume_failed'
  | 'session_held'
  | 'open_timeout'
  | 'runtime_closed'
  | 'capture_failed';

const brand = Symbol.for('native-compaction.error');

/** The only error class of the library. `code` says what was wrong; the message says what to do about it. */
export class NativeCompactionError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NativeCompactionError';
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for an error of this library, also when it comes from another installed copy of it. */
export function isNativeCompactionError(value: unknown): value is NativeCompactionError {
  return value instanceof Error && brand in value;
}

/** What was thrown, as a text to be redacted: anything can be thrown, also what has no text. */
export function thrownText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that has no text';
  }
}
