import type { Fault, FaultKind, Rounds } from './plan.ts';

/** What is done with the vendor's output, in order; `end` ends the vendor and the proxy. */
export type Action =
  | { readonly bytes: Buffer }
  | { readonly waitMs: number }
  | { readonly blank: number }
  | { readonly end: true };

export interface FaultStream {
  /** A command passed to the vendor: the next round begins. */
  arm(): void;
  /** One line of the vendor, without its newline. */
  line(line: Buffer): void;
  /** The vendor's output is over. */
  end(): void;
}

const newline = Buffer.from('\n');
const mark = Buffer.from('{');
/** Lines that are no frames, between frames. */
const garbage = ['', '   ', '\r', 'warning: something', 'null', '42', '"text"', '[1]', '{"broken":', '\u2028', 'data: {}'];
/** More than the reader takes. */
const OVERSIZE_BYTES = 67_108_865;

/** Turns what the vendor wrote into what the library reads, with the faults of the plan; tells of each. Nothing here waits. */
export function createFaultStream(
  rounds: Rounds,
  act: (action: Action) => void,
  onFault: (fault: Fault) => void = () => undefined,
): FaultStream {
  let round = -1;
  let frame = 0;
  let isStalled = false;
  let isOver = false;
  let kept: Buffer | undefined; // waits for its successor

  const send = (...parts: Buffer[]) => {
    if (!isStalled && !isOver) act({ bytes: Buffer.concat(parts) });
  };
  const over = () => {
    if (isOver) return;
    isOver = true;
    act({ end: true });
  };

  return {
    arm() {
      round += 1;
      frame = 0;
    },
    line(line) {
      if (round < 0) return send(line, newline);
      frame += 1;
      const faults = (rounds[round] ?? []).filter((fault) => fault.frame === frame);
      if (!isStalled && !isOver) for (const fault of faults) onFault(fault);
      const has = (kind: FaultKind) => faults.some((fault) => fault.kind === kind);
      const before = faults.flatMap((fault) => prelude(fault));
      for (const action of before) if (!isStalled && !isOver) act(action);
      const body = Buffer.concat([changed(line, faults), has('crlf') ? Buffer.from('\r\n') : newline]);
      if (has('stall')) isStalled = true;
      if (has('kill')) return over();
      if (has('truncate')) {
        send(body.subarray(0, Math.ceil(body.length / 2)));
        return over();
      }
      if (has('drop')) return;
      if (has('swap') && kept === undefined) {
        kept = body;
        return;
      }
      sendCut(body, faults);
      if (has('duplicate')) send(body);
      if (kept) send(kept);
      kept = undefined;
    },
    end() {
      if (kept) send(kept);
      over();
    },
  };

  function sendCut(body: Buffer, faults: readonly Fault[]) {
    const cuts = faults.flatMap(({ kind, value }) => {
      if (kind === 'split') return [1 + (value % (body.length - 1))];
      // Inside the first character of the padding, which takes four bytes.
      return kind === 'multibyte' ? [body.indexOf('🜁') + 1 + (value % 3)] : [];
    });
    let from = 0;
    for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) {
      send(body.subarray(from, cut));
      if (!isStalled && !isOver) act({ waitMs: 1 });
      from = cut;
    }
    send(body.subarray(from));
  }
}

function prelude({ kind, value }: Fault): Action[] {
  switch (kind) {
    case 'delay':
      return [{ waitMs: 1 + (value % 40) }];
    case 'garbage':
      return [{ bytes: Buffer.from(`${garbage[value % garbage.length]}\n`) }];
    case 'oversize':
      return [{ blank: OVERSIZE_BYTES }, { bytes: newline }];
    default:
      return [];
  }
}

/** The same JSON value for every member that anybody reads, in other bytes. */
function changed(line: Buffer, faults: readonly Fault[]): Buffer {
  if (!line.subarray(0, 1).equals(mark) || line.length < 3) return line;
  let next = line;
  for (const { kind } of faults) {
    if (kind === 'lone_cr') next = Buffer.concat([Buffer.from('{\r'), next.subarray(1)]);
    if (kind === 'separators') next = padded('\u2028\u2029', next);
    if (kind === 'multibyte') next = padded('🜁é\u{1f701}', next);
  }
  return faults.some(({ kind }) => kind === 'bom') ? Buffer.concat([Buffer.from('\ufeff'), next]) : next;
}

function padded(text: string, line: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"padding_of_the_proxy":"${text}",`), line.subarray(1)]);
}
