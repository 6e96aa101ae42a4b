import { describe, expect, test } from 'vitest';
import { FrameLog } from '../src/frames.ts';
import { Loop } from '../src/loop.ts';
import type { LoopRooms } from '../src/loop-rooms.ts';
import type { Entry, ExitFacts, Machine, Step, Wire, Write } from '../src/machine.ts';

type Seen = Entry<string, string>;
type TestStep = Step<number, string>;

/** A loop around a machine that counts its entries, and everything that was done in it, in order. */
function open(setup: { step?: (entry: Seen) => Partial<TestStep>; opening?: Partial<TestStep> } = {}) {
  const seen: Seen[] = [];
  const done: string[] = [];
  const exits: (readonly [string, ExitFacts])[] = [];
  let native: Parameters<Wire<string, string>['start']>[0] | undefined;
  const machine = {
    init: () => ({ state: 0, records: [], ...setup.opening }),
    step(state, entry) {
      seen.push(entry);
      return { state: state + 1, records: [], ...setup.step?.(entry) };
    },
  } as Pick<Machine<string, string, number, undefined>, 'init' | 'step'> as Machine<string, string, number, undefined>;
  const wire = {
    start: (on) => {
      native = on;
    },
    write: (frame) => {
      if (frame === 'broken') throw new Error('broken');
      done.push(`wrote ${frame}`);
    },
  } as Pick<Wire<string, string>, 'start' | 'write'> as Wire<string, string>;
  const rooms: LoopRooms<string, string, number, undefined> & { deliver: () => void } = {
    setup: { facts: undefined, wire },
    machine,
    frames: new FrameLog({ frames: 10, bytes: 1_000 }, (frame) => frame),
    clock: { now: () => 7, after: () => ({ cancel: () => undefined }) },
    publish: ({ type }) => void done.push(`record ${type}`),
    publishRun: (run) => void run.map(({ draft: { type } }) => done.push(`record ${type}`)),
    present: (frame) => frame,
    onStep: () => undefined,
    onQuiet: () => void done.push('quiet'),
    deliver: () => undefined,
    onEnd: (why, exit) => void exits.push([why, exit]),
    onLateExit: (exit) => void exits.push(['late', exit]),
  };
  const loop = new Loop(rooms);
  loop.start();
  if (!native) throw new Error('The wire was not started.');
  return { loop, rooms, seen, done, exits, native };
}
const write = (frame: string): Write<string> => ({ frame, ref: { kind: 'read', id: frame } });
const frames = (seen: readonly Seen[]) => seen.flatMap((entry) => (entry.dir === 'in' ? [entry.frame] : [entry.dir]));

describe('T7 the opening', () => {
  test('its records are told and its writes are written, each stepped before it leaves', () => {
    const { done, seen, loop } = open({ opening: { records: [{ type: 'idle' }], writes: [write('hello')] } });
    expect(done).toEqual(['record idle', 'wrote hello', 'quiet']);
    expect(seen).toMatchObject([{ n: 1, atMs: 7, dir: 'out', frame: 'hello' }]);
    expect(loop.state).toBe(1);
    expect(open().seen).toEqual([]);
  });
});

describe('T6 what cannot be handled', () => {
  test.each(['frame', 'write'])('a %s ends the session, once, and nothing is claimed', (what) => {
    const { loop, exits, native, seen } = open({
      step(entry) {
        if (entry.dir === 'in' && entry.frame === 'odd') throw new Error('odd');
        return {};
      },
    });
    if (what === 'frame') native.frame('odd', 1);
    else loop.write(write('broken'));
    expect(exits).toEqual([['transport_lost', {}]]);
    expect(seen.at(-1)).toMatchObject({ dir: 'end', why: 'transport_lost' });
    expect(loop.isEnded).toBe(true);
  });

  test('R5 what came in one run with it is recorded behind the end, in order, and not applied', () => {
    const { done, exits, native, seen } = open({
      step(entry) {
        if (entry.dir === 'in' && entry.frame === 'odd') throw new Error('odd');
        return { records: [{ type: 'idle' }] };
      },
    });
    native.run?.(['fine', 'odd', 'next', 'last'], [1, 1, 1, 1]);
    expect(frames(seen)).toEqual(['fine', 'odd', 'end']);
    expect(exits).toEqual([['transport_lost', {}]]);
    expect(done.filter((what) => what === 'record late_frame')).toHaveLength(2);
  });

  test('an end that cannot be handled is one end all the same', () => {
    const { loop, exits, native } = open({
      step(entry) {
        if (entry.dir === 'end') throw new Error('odd');
        return {};
      },
    });
    native.end('process_exit', { code: 1 });
    expect(exits).toEqual([['process_exit', { code: 1 }]]);
    expect(loop.isEnded).toBe(true);
  });
});

describe('R5 the end', () => {
  test('its code is an entry where there is one', () => {
    const ended = (exit?: ExitFacts) => {
      const [fromWire, fromHost] = [open(), open()];
      fromWire.native.end('process_exit', exit);
      fromHost.loop.end('disposed', exit);
      return [fromWire.seen.at(-1), fromHost.seen.at(-1)];
    };
    const at = { n: 1, atMs: 7, dir: 'end' };
    const [wire, host] = [
      { ...at, why: 'process_exit' },
      { ...at, why: 'disposed' },
    ];
    expect(ended({ code: 3 })).toEqual([
      { ...wire, code: 3 },
      { ...host, code: 3 },
    ]);
    expect(ended({ code: null })).toEqual([
      { ...wire, code: null },
      { ...host, code: null },
    ]);
    for (const exit of [undefined, {}])
      for (const entry of ended(exit)) expect(Object.keys(entry ?? {})).toEqual(['n', 'atMs', 'dir', 'why']);
  });

  test('behind it frames are told as late and step nothing, the exit is told as that, and nothing is asked or written', () => {
    const { loop, native, done, exits, seen } = open();
    loop.end('disposed');
    const steps = seen.length;
    done.length = 0;
    native.frame('late', 1);
    loop.write(write('late'));
    expect(done).toEqual(['record late_frame']);
    expect(exits).toEqual([['disposed', {}]]);
    native.end('process_exit', { code: 0 });
    expect(exits).toEqual([
      ['disposed', {}],
      ['late', { code: 0 }],
    ]);
    expect(seen).toHaveLength(steps);
    expect(done).toEqual(['record late_frame']);
  });
});

describe('S1 one turn at a time', () => {
  test('what arrives in a turn waits for its end, in its order, each with the gate behind it', () => {
    const { rooms, native, seen, done, loop, exits } = open();
    rooms.deliver = () => {
      rooms.deliver = () => undefined;
      native.frame('second', 1);
      native.frame('third', 1);
      native.end('process_exit', { code: 2 });
      expect(frames(seen)).toEqual(['first']);
    };
    done.length = 0;
    native.frame('first', 1);
    expect(frames(seen)).toEqual(['first', 'second', 'third', 'end']);
    expect(done).toEqual(['quiet', 'quiet', 'quiet']);
    expect(exits).toEqual([['process_exit', { code: 2 }]]);
    expect(loop.isEnded).toBe(true);
  });

  test('what user code does in it is part of it, and the gate is asked again', () => {
    const { rooms, loop, done, seen } = open();
    rooms.deliver = () => {
      rooms.deliver = () => undefined;
      loop.host({ ask: 'abort' });
    };
    done.length = 0;
    loop.run(() => undefined);
    expect(done).toEqual(['quiet', 'quiet']);
    expect(frames(seen)).toEqual(['host']);
  });

  test('G3 the word that all was read asks the gate', () => {
    const { native, done } = open();
    done.length = 0;
    native.read?.();
    expect(done).toEqual(['quiet']);
  });

  test('a throw of the host ends its turn and not the loop', () => {
    const { loop, native, seen } = open();
    expect(() =>
      loop.run(() => {
        throw new Error('host');
      }),
    ).toThrow('host');
    native.frame('next', 1);
    expect(frames(seen)).toEqual(['next']);
  });
});
