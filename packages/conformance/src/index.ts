export { disturbances, type Enumerated, type EnumerationModel, enumerate } from './enumerate.ts';
export { type CodexLabOptions, type Lab, openClaudeLab, openCodexLab, openPiLab, type PiLabOptions } from './lab.ts';
export { createLoopModel, type Happening, type LoopModel, type LoopModelSetup, MODEL_IDS } from './loop-model.ts';
export type { CodexTurn, ModelRequest, Reply, ReplyUsage } from './model-messages.ts';
export { DEFAULT_SUMMARY, defaultScript, type ModelServer, openModelServer, type Script } from './model-server.ts';
