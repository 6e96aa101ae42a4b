import { type Contestant, floodLine, loadPeer } from './contestant.ts';

interface Child extends AsyncIterable<string> {
  readonly stdin: NodeJS.WritableStream;
  kill(): void;
  catch(handler: () => undefined): void;
}
const { execa } = await loadPeer<{ execa: (file: string, args: string[], options: object) => Child }>('execa');

/** execa's own line iterator, without its copy of the output. */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    const child = execa(vendor.executable, [], { buffer: false, stdin: 'pipe' });
    child.catch(() => undefined);
    return {
      async flood() {
        child.stdin.write(floodLine);
        let frames = 0;
        for await (const line of child) {
          if (JSON.parse(line).type === 'result') return frames;
          frames += 1;
        }
        return -1;
      },
      close: () => child.kill(),
    };
  },
};
