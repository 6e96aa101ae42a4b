import { spawn } from 'node:child_process';
import { type Contestant, loadPeer } from './contestant.ts';

interface Connection {
  listen(): void;
  sendRequest(method: string): Promise<unknown>;
  onNotification(method: string, handler: () => void): void;
}
const rpc = await loadPeer<{
  createMessageConnection(reader: object, writer: object): Connection;
  StreamMessageReader: new (stream: object) => object;
  StreamMessageWriter: new (stream: object) => object;
}>('vscode-jsonrpc/node');

/** vscode-jsonrpc over Content-Length headers. */
export const contestant: Contestant = {
  framing: 'headers',
  async open(vendor) {
    const child = spawn(vendor.executable, [], { stdio: 'pipe', env: { ...process.env, BENCH_MODE: 'headers' } });
    const connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(child.stdout),
      new rpc.StreamMessageWriter(child.stdin),
    );
    let frames = 0;
    connection.onNotification('session/update', () => {
      frames += 1;
    });
    connection.listen();
    await connection.sendRequest('initialize');
    return {
      async flood() {
        await connection.sendRequest('flood');
        return frames;
      },
      roundTrip: () => connection.sendRequest('ping'),
      close: () => void child.kill(),
    };
  },
};
