import { expect, test } from 'vitest';
import { Inputs } from '../src/inputs.ts';
import type { Loop } from '../src/loop.ts';
import type { Machine } from '../src/machine.ts';

type TestLoop = Loop<string, string, number, undefined>;

/** Inputs over a native side that is always idle; what was written, by its id. */
function open() {
  const written: string[] = [];
  const loop = {
    state: 0,
    isEnded: false,
    run: (work) => work(),
    write: ({ ref }) => written.push(ref.id),
  } as Pick<TestLoop, 'state' | 'isEnded' | 'run' | 'write'> as TestLoop;
  const machine = { busy: () => undefined, input: (_state, { id }) => id } as Pick<
    Machine<string, string, number, undefined>,
    'busy' | 'input'
  > as Machine<string, string, number, undefined>;
  const inputs = new Inputs({
    machine,
    loop,
    publish: () => undefined,
    isSlotFree: () => true,
    hasUnread: () => false,
    reservedCommand: () => undefined,
  });
  return { inputs, written };
}

test('S5 what is recorded of another input says nothing of the one that is on its way', async () => {
  const { inputs, written } = open();
  const { id, delivered, ended } = inputs.send('mine');
  inputs.advance();
  for (const type of ['input_received', 'input_held'] as const) inputs.onRecord({ type, inputId: 'other' });
  inputs.onRecord({ type: 'input_ended', inputId: 'other', outcome: 'completed' });
  inputs.advance();
  expect(written).toEqual([id]);
  inputs.onRecord({ type: 'input_ended', inputId: id, outcome: 'undelivered' });
  expect(await Promise.all([delivered, ended])).toEqual(['undelivered', 'undelivered']);
});
