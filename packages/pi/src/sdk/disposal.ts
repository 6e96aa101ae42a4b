import type { PiAgentSession } from './native.ts';

/**
 * Tells when the host disposes of its own session; gives what stops that. Pi has no event for it, drops every listener and
 * keeps taking calls afterwards (1.4.0 to 1.6.0), so its own method is watched while we hold the session.
 */
export function watchDisposal(native: PiAgentSession, onDisposed: () => void): () => void {
  const before = Object.getOwnPropertyDescriptor(native, 'dispose');
  const { dispose } = native;
  const watched = () => {
    try {
      dispose.call(native);
    } finally {
      onDisposed();
    }
  };
  // A host that has locked its session is not told of; everything else works.
  if (!Reflect.defineProperty(native, 'dispose', { value: watched, configurable: true, writable: true })) return () => undefined;
  return () => {
    if (native.dispose !== watched) return; // somebody else watches as well, and calls us through
    if (before) Object.defineProperty(native, 'dispose', before);
    else Reflect.deleteProperty(native, 'dispose');
  };
}
