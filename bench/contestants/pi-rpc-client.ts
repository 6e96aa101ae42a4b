import { delimiter } from 'node:path';
import { type Contestant, loadPeer } from './contestant.ts';

interface Client {
  start(): Promise<void>;
  stop(): Promise<void>;
  prompt(message: string): Promise<unknown>;
  getState(): Promise<unknown>;
  onEvent(listener: (event: { type: string }) => void): void;
}
const client = import.meta.resolve('@earendil-works/pi-coding-agent').replace(/index\.js$/, 'modes/rpc/rpc-client.js');
const { RpcClient } = await loadPeer<{ RpcClient: new (options: object) => Client }>(client);

/** Pi's own `RpcClient`, one listener. It starts `node <cli>`, so the vendor is found under that name. */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    const path = [...(vendor.folder === undefined ? [] : [vendor.folder]), process.env.PATH].join(delimiter);
    const session = new RpcClient({ cliPath: vendor.script, env: { PATH: path } });
    await session.start();
    return {
      flood() {
        let frames = 0;
        return new Promise((resolve) => {
          session.onEvent((event) => {
            if (event.type === 'result') resolve(frames);
            else frames += 1;
          });
          session.prompt('go');
        });
      },
      roundTrip: () => session.getState(),
      close: () => session.stop(),
    };
  },
};
