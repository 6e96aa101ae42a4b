import { afterEach, describe, expect, test } from 'vitest';
import { type ModelServer, openModelServer } from '../src/model-server.ts';
import { brokenMessage } from '../src/model-streams.ts';

let server: ModelServer;
afterEach(() => server.close());

const ask = (content: string, extra: object = {}) =>
  fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'dummy' },
    body: JSON.stringify({ model: 'm', max_tokens: 10, system: 'SYSTEM', messages: [{ role: 'user', content }], ...extra }),
  });

describe('openModelServer', () => {
  test('listens on loopback, answers the script, and keeps what it was sent', async () => {
    server = await openModelServer(() => ({ text: 'hello', usage: { inputTokens: 7 } }));
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answer = (await (await ask('hi')).json()) as { content: { text: string }[]; usage: { input_tokens: number } };
    expect([answer.content[0]?.text, answer.usage.input_tokens]).toEqual(['hello', 7]);
    expect(server.requests).toMatchObject([
      { number: 1, system: 'SYSTEM', messages: [{ role: 'user', text: 'hi' }], isCompaction: false },
    ]);
  });

  test('next() resolves when the provider is asked, before the held reply is given', async () => {
    const release = Promise.withResolvers<void>();
    server = await openModelServer(async () => {
      await release.promise;
      return { status: 529, message: 'full' };
    });
    const asked = server.next((request) => request.messages[0]?.text === 'second');
    const [first, second] = [ask('first'), ask('second')];
    expect((await asked).messages[0]?.text).toBe('second');
    release.resolve();
    expect([(await first).status, (await second).status]).toEqual([529, 529]);
  });

  test('a cut stream breaks, a broken one says its error, and close() answers what hangs', async () => {
    server = await openModelServer(() => ({ text: 'x'.repeat(2_000), cut: 3 }));
    const cut = (await ask('hi', { stream: true })).body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    await expect(async () => {
      for (let read = await cut?.read(); read?.value !== undefined; read = await cut?.read()) seen += read.value;
    }).rejects.toThrow();
    expect(seen.split('event: ')).toHaveLength(1 + 3);
    server.stream(brokenMessage('broken'));
    expect(await (await ask('hi', { stream: true })).text()).toContain('"message":"broken"');
    server.script(() => ({ hang: true }));
    const asked = server.next();
    const hanging = ask('hi').then(
      (response) => response.status,
      () => 'dropped',
    );
    await asked;
    await server.close();
    expect([503, 'dropped']).toContain(await hanging);
  });
});
