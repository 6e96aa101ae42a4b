import { expect, test } from 'vitest';
import { createInputs } from '../src/inputs.ts';
import type { Loop } from '../src/loop.ts';
import type { Machine } from '../src/machine.ts';

/** Inputs over a native side that is always idle; what was written, by its id. */
function open() {
  const written: string[] = [];
  const loop = {
    state: 0,
    isEnded: false,
    run: (work) => work(),
    write: ({ ref }) => written.push(ref.id),
  } as Pick<Loop<string, number>, 'state' | 'isEnded' | 'run' | 'write'> as Loop<string, number>;
  const machine = { busy: () => undefined, input: (_state, { id }) => id } as Pick<
    Machine<string, string, number, undefined>,
    'busy' | 'input'
  > as Machine<string, string, number, undefined>;
  let n = 0;
  const inputs = createInputs({
    machine,
    loop: () => loop,
    publish: () => undefined,
    isSlotFree: () => true,
    hasUnread: () => false,
    reservedCommand: () => undefined,
    newId: () => `in-${++n}`,
  });
  return { inputs, written };
}

test('S5 what is recorded of another input says nothing of the one that is on its way', async () => {
  const { inputs, written } = open();
  const { delivered, ended } = inputs.send('mine');
  inputs.advance();
  for (const type of ['input_received', 'input_held'] as const) inputs.onRecord({ type, inputId: 'other' });
  inputs.onRecord({ type: 'input_ended', inputId: 'other', outcome: 'completed' });
  inputs.advance();
  expect(written).toEqual(['in-1']);
  inputs.onRecord({ type: 'input_ended', inputId: 'in-1', outcome: 'undelivered' });
  expect(await Promise.all([delivered, ended])).toEqual(['undelivered', 'undelivered']);
});
