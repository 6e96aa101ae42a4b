import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createJsonLineReader, type JsonObject, text, toJsonLine } from '@native-compaction/transport';
import type { FaultProgram, Order } from '../fault-program.ts';
import type { Fault, Rounds } from './plan.ts';

/** A stand-in for a vendor's executable that starts the real one and disturbs what it says. */
export interface FaultProxy {
  /** To be given to a runtime as its executable. */
  readonly executable: string;
  /** Writes a frame to the vendor that is not the library's. */
  inject(frame: JsonObject): void;
  /** Writes frames of somebody else right before the next command of the library. */
  injectBeforeCommand(...frames: readonly JsonObject[]): void;
  /** The next line of this kind never reaches the vendor. */
  withhold(isMeant: (frame: JsonObject) => boolean): void;
  /** The faults that met a frame, once the vendor's process is gone; one that is planned beyond the last frame meets none. */
  injected(): Promise<readonly Fault[]>;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  readonly command: readonly [string, ...string[]];
  /** Where the executable is made. */
  readonly folder: string;
  readonly rounds: Rounds;
  readonly isCommand: (frame: JsonObject) => boolean;
}

/** The program beside this module: as source in a checkout, built in a package. */
const isSource = import.meta.url.endsWith('.ts');
const program = new URL(isSource ? '../fault-program.ts' : './fault-program.js', import.meta.url);

/** Makes the executable and listens on loopback for the process that it becomes. */
export async function openFaultProxy({ command, folder, rounds, isCommand }: FaultProxyOptions): Promise<FaultProxy> {
  let socket: Socket | undefined;
  let before: readonly JsonObject[] = [];
  let withheld: ((frame: JsonObject) => boolean) | undefined;
  const injected: Fault[] = [];
  const gone = Promise.withResolvers<void>();
  const order = (said: Order) => void socket?.write(toJsonLine(said));

  const decide = (frame: JsonObject) => {
    if (withheld?.(frame)) {
      withheld = undefined;
      return order({ pass: 'nothing' });
    }
    if (!isCommand(frame)) return order({ pass: 'line' });
    for (const other of before) order({ inject: toJsonLine(other).trim() });
    before = [];
    order({ pass: 'command' });
  };
  const server = createServer((connection) => {
    socket = connection;
    connection.on('error', () => undefined);
    connection.on('close', () => gone.resolve());
    const reader = createJsonLineReader((fact) => {
      if ('injected' in fact) injected.push(fact.injected as Fault);
      const asked = 'asked' in fact ? text(fact.asked) : undefined;
      if (asked !== undefined) decide(JSON.parse(asked) as JsonObject);
    });
    connection.on('data', (chunk: Buffer) => reader.push(chunk));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const executable = join(folder, `fault-proxy-${port}.mjs`);
  const settings: FaultProgram = { command, port, rounds };
  const source = [
    `#!${process.execPath}`,
    `import { runFaultProgram } from ${JSON.stringify(program.href)};`,
    `runFaultProgram(${JSON.stringify(settings)});`,
  ];
  writeFileSync(executable, `${source.join('\n')}\n`, { mode: 0o700 });
  return {
    executable,
    inject: (frame) => order({ inject: toJsonLine(frame).trim() }),
    injectBeforeCommand(...frames) {
      before = frames;
    },
    withhold(isMeant) {
      withheld = isMeant;
    },
    async injected() {
      await gone.promise;
      return injected;
    },
    async close() {
      socket?.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
