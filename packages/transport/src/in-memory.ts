import type { EndReason, ExitFacts, Wire } from '@native-compaction/core';

/** The other end of a linked wire, for tests and scripted peers. */
export interface Peer<In, Out> {
  send(frame: In, bytes?: number): void;
  /** Several frames that arrive in one piece. */
  sendTogether(...frames: In[]): void;
  end(why?: EndReason, exit?: ExitFacts): void;
  /** Every frame written so far, in order. */
  readonly written: readonly Out[];
  onWrite(listener: (frame: Out) => void): void;
  readonly isPaused: boolean;
}

/** A linked pair: what the wire writes, the peer sees in the same call; what the peer sends, the session gets in the same call. */
export function createLinkedPair<In, Out>(): { readonly wire: Wire<In, Out>; readonly peer: Peer<In, Out> } {
  const written: Out[] = [];
  const listeners: ((frame: Out) => void)[] = [];
  const waiting: (() => void)[] = [];
  let on: Parameters<Wire<In, Out>['start']>[0] | undefined;
  let isPaused = false;
  let hasEnded = false;
  let unread = 0;

  const end = (why: EndReason = 'process_exit', exit: ExitFacts = { code: 0 }) => {
    if (hasEnded) return;
    hasEnded = true;
    on?.end(why, exit);
  };
  return {
    wire: {
      start(handlers) {
        on = handlers;
        for (const run of waiting.splice(0)) run();
      },
      hasUnread: () => unread > 0,
      write(frame) {
        written.push(frame);
        for (const listener of listeners) listener(frame);
      },
      pause() {
        isPaused = true;
      },
      resume() {
        isPaused = false;
      },
      close() {
        end('process_exit', { code: 0 });
        return Promise.resolve();
      },
    },
    peer: {
      send(frame, bytes = 0) {
        if (hasEnded) return;
        if (on) on.frame(frame, bytes);
        else waiting.push(() => on?.frame(frame, bytes));
      },
      sendTogether(...frames) {
        if (hasEnded || !on) return;
        unread = frames.length;
        for (const frame of frames) {
          unread -= 1;
          on.frame(frame, 0);
        }
      },
      end,
      written,
      onWrite: (listener) => void listeners.push(listener),
      get isPaused() {
        return isPaused;
      },
    },
  };
}
