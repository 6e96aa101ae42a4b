import { afterEach, expect, test, vi } from 'vitest';
import { type Interrupts, takeInterrupts } from '../src/interrupts.ts';

let interrupts: Interrupts;
const take = () => {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(name);
  interrupts = takeInterrupts({ first: step('first'), second: step('second'), third: step('third') });
  return steps;
};
afterEach(() => interrupts.stop());

test('Ctrl-C goes a step further each time, and stays at the last', () => {
  const steps = take();
  for (let count = 0; count < 4; count += 1) process.emit('SIGINT', 'SIGINT');
  expect(steps).toEqual(['first', 'second', 'third', 'third']);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s asks for what two of it do, since nobody comes back to press again', (signal) => {
  const steps = take();
  process.emit(signal, signal);
  expect(steps).toEqual(['first', 'second']);
  process.emit(signal, signal);
  expect(steps).toEqual(['first', 'second', 'third']);
});

test('behind a Ctrl-C it asks for the rest, and after the end for nothing', () => {
  const steps = take();
  process.emit('SIGINT', 'SIGINT');
  process.emit('SIGTERM', 'SIGTERM');
  expect(steps).toEqual(['first', 'second']);
  interrupts.stop();
  const other = vi.fn();
  process.once('SIGTERM', other);
  process.emit('SIGTERM', 'SIGTERM');
  expect([steps.length, other.mock.calls.length]).toEqual([2, 1]);
});
