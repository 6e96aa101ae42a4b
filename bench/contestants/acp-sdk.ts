import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { type Contestant, loadPeer } from './contestant.ts';

interface App {
  onNotification(method: string, handler: () => void): App;
  connect(stream: unknown): { agent: { request(method: string, params: object): Promise<unknown> } };
}
const acp = await loadPeer<{ client(): App; ndJsonStream(output: unknown, input: unknown): unknown }>('@agentclientprotocol/sdk');

/** The ACP client, which checks every notification against its schema. */
export const contestant: Contestant = {
  framing: 'rpc',
  async open(vendor) {
    const child = spawn(vendor.executable, [], { stdio: 'pipe' });
    let frames = 0;
    const app = acp.client().onNotification('session/update', () => {
      frames += 1;
    });
    const { agent } = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
    await agent.request('initialize', { protocolVersion: 1 });
    return {
      async flood() {
        await agent.request('session/prompt', { sessionId: 's', prompt: [] });
        return frames;
      },
      roundTrip: () => agent.request('session/new', { cwd: '/', mcpServers: [] }),
      close: () => void child.kill(),
    };
  },
};
