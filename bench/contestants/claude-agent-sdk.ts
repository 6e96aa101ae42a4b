import { type Contestant, loadPeer } from './contestant.ts';

interface Query extends AsyncGenerator<{ type: string }> {
  supportedCommands(): Promise<unknown>;
  interrupt(): Promise<unknown>;
  close?(): void;
}
const { query } = await loadPeer<{ query: (given: { prompt: AsyncIterable<unknown>; options: object }) => Query }>(
  '@anthropic-ai/claude-agent-sdk',
);

/** `query()` with streaming input and partial messages. */
export const contestant: Contestant = {
  framing: 'lines',
  async open(vendor) {
    const go = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    async function* prompt() {
      await go.promise;
      yield { type: 'user', session_id: '', parent_tool_use_id: null, message: { role: 'user', content: 'go' } };
      await over.promise;
    }
    const session = query({
      prompt: prompt(),
      options: { pathToClaudeCodeExecutable: vendor.executable, includePartialMessages: true },
    });
    await session.supportedCommands();
    return {
      async flood() {
        go.resolve();
        let frames = 0;
        for await (const message of session) {
          if (message.type === 'result') break;
          frames += 1;
        }
        return frames;
      },
      roundTrip: () => session.interrupt(),
      close() {
        over.resolve();
        session.close?.();
      },
    };
  },
};
