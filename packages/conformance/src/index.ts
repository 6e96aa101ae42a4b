export { disturbances, type Enumerated, type EnumerationModel, enumerate } from './enumerate.ts';
export { type CodexLabOptions, type Lab, openClaudeLab, openCodexLab } from './lab.ts';
export type { CodexTurn, ModelRequest, Reply, ReplyUsage } from './model-messages.ts';
export { DEFAULT_SUMMARY, defaultScript, type ModelServer, openModelServer, type Script } from './model-server.ts';
