import { openScripted } from '@native-compaction/conformance';
import { expect, test } from 'vitest';
import type { PiIn, PiOut } from '../src/frames.ts';
import { piMachine } from '../src/machine.ts';
import { testedVersions } from '../src/options.ts';
import type { PiFacts, PiState } from '../src/state.ts';
import { native } from './support/native.ts';

test('S2 an input that Pi had no place for is written again before the later ones', async () => {
  const { session, peer } = await openScripted<PiIn, PiOut, PiState, PiFacts>(
    { runtime: 'pi-rpc', machine: piMachine, facts: { deltas: false, testedVersions }, promptChange: () => ({ system: 'at-resume', append: 'at-resume' }) }, // biome-ignore format: one line
    ({ send }) => native.opening().map((frame) => send(frame)),
  );
  const [first, second] = [session.send('first'), session.send('second')];
  const prompts = () => peer.written.filter(({ type }) => type === 'prompt').map(({ id, message }) => [id, message]);
  peer.send({ type: 'agent_start' });
  peer.send(native.failure(first.id, 'prompt'));
  expect(prompts()).toEqual([[first.id, 'first']]);
  peer.send({ type: 'agent_end', messages: [], willRetry: false });
  peer.send({ type: 'agent_settled', aborted: false });
  expect(prompts()).toEqual([
    [first.id, 'first'],
    [first.id, 'first'],
  ]);
  for (const { id } of [first, second]) {
    peer.send(native.answer(id, 'prompt', { disposition: 'started' }));
    peer.send({ type: 'agent_start' });
    peer.send(native.user(id === first.id ? 'first' : 'second'));
    peer.send({ type: 'agent_end', messages: [], willRetry: false });
    peer.send({ type: 'agent_settled', aborted: false });
  }
  expect([await first.delivered, await second.delivered]).toEqual(['delivered', 'delivered']);
  expect(prompts().map(([id]) => id)).toEqual([first.id, first.id, second.id]);
  await session.dispose();
});
