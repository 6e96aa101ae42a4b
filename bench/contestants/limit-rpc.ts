import { readingLines, splitBuffers } from './raw.ts';

/** The limit on the same traffic in JSON-RPC: what acp-sdk and vscode-jsonrpc are compared with. */
export const contestant = readingLines(splitBuffers, true);
