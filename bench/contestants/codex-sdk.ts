import { type Contestant, loadPeer } from './contestant.ts';

interface Thread {
  runStreamed(input: string): Promise<{ events: AsyncIterable<{ type: string }> }>;
}
const { Codex } = await loadPeer<{ Codex: new (options: object) => { startThread(options: object): Thread } }>(
  '@openai/codex-sdk',
);

/** `runStreamed()`. It starts a process per turn, so the start is in its figures (about 2 ms). */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    process.env.BENCH_MODE = 'exec';
    const thread = new Codex({ codexPathOverride: vendor.executable }).startThread({ skipGitRepoCheck: true });
    return {
      async flood() {
        const { events } = await thread.runStreamed('go');
        let frames = 0;
        for await (const event of events) if (event.type !== 'result') frames += 1;
        return frames;
      },
      close: () => undefined,
    };
  },
};
