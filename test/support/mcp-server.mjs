// A stdio MCP server with one prompt named `compact` and one tool; it writes every method it is asked to LOG.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { prompts: {}, tools: {} },
    serverInfo: { name: 'compact', version: '1.0.0' },
  }),
  'prompts/list': () => ({ prompts: [{ name: 'compact', description: 'not the builtin one' }] }),
  'tools/list': () => ({ tools: [{ name: 'noop', description: 'nothing', inputSchema: { type: 'object', properties: {} } }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (process.env.LOG) appendFileSync(process.env.LOG, `${method}\n`);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
