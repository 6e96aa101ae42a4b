export { type Child, type ChildOptions, startChild } from './child-process.ts';
export { childEnvironment, strippedVariables } from './environment.ts';
export { createLinkedPair, type Peer } from './in-memory.ts';
export { createJsonLineReader, type JsonObject, toJsonLine, Unparsed } from './json-lines.ts';
export { connectJsonLines, type JsonLinesOptions } from './json-lines-wire.ts';
export { type RpcError, type RpcFact, rpcNotification, rpcRefusal, rpcRequest, rpcResult, toRpcFact } from './json-rpc.ts';
export { number, object, oneOf, optional, text, texts } from './json-values.ts';
export { createLineSplitter, type LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';
export { createCaptureFile, createTap, type Tap, type TapLine } from './tap.ts';
