import { describe, expect, test } from 'vitest';
import { createRegistry } from '../src/registry.ts';
import type { Session } from '../src/session.ts';

/** As much of a session as the registry knows. */
const fakeSession = (nativeId: string) => {
  const closed: (() => void)[] = [];
  let disposed = 0;
  const session = {
    nativeId,
    on: (_event: string, listener: () => void) => void closed.push(listener),
    async dispose() {
      disposed += 1;
      for (const run of closed.splice(0)) run();
    },
  };
  return { session: session as unknown as Session, disposed: () => disposed };
};
const code = (error: unknown) => (error as { code?: string }).code;

describe('createRegistry', () => {
  test('one native session is open once; it is free again when it is disposed', async () => {
    const registry = createRegistry();
    const { session } = fakeSession('a');
    await registry.open('a', async () => session);
    expect(await registry.open('a', async () => session).catch(code)).toBe('session_held');
    await session.dispose();
    await registry.open('a', async () => fakeSession('a').session);
    const slow = Promise.withResolvers<Session>();
    const opening = registry.open('b', () => slow.promise);
    expect(await registry.open('b', async () => session).catch(code)).toBe('session_held');
    slow.resolve(fakeSession('b').session);
    await opening;
  });

  test('close() disposes all, gives up what is opening, and opens no more', async () => {
    const registry = createRegistry();
    const one = fakeSession('a');
    await registry.open(undefined, async () => one.session);
    const aborted = registry.open(
      undefined,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const late = fakeSession('c');
    const slow = Promise.withResolvers<Session>();
    const ignored = registry.open(undefined, () => slow.promise).catch(code);
    const closing = registry.close();
    await expect(aborted).rejects.toBeDefined();
    slow.resolve(late.session);
    await closing;
    expect(await ignored).toBe('runtime_closed');
    expect([one.disposed(), late.disposed()]).toEqual([1, 1]);
    expect(await registry.open(undefined, async () => one.session).catch(code)).toBe('runtime_closed');
  });
});
