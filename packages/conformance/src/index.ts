export { type CodexLabOptions, openCodexLab } from './codex-lab.ts';
export { disturbances, type Enumerated, type EnumerationModel, enumerate } from './enumerate.ts';
export { type Lab, openClaudeLab } from './lab.ts';
export { brokenPromise, createLoopModel, type Happening, type LoopModel, type LoopModelSetup, MODEL_IDS } from './loop-model.ts';
export type { CodexTurn, ModelRequest, Reply, ReplyUsage } from './model-messages.ts';
export { DEFAULT_SUMMARY, defaultScript, type ModelServer, openModelServer, type Script } from './model-server.ts';
export {
  brokenMessage,
  compactionResponse,
  failedResponse,
  incompleteResponse,
  itemResponse,
  type RawStream,
  type StreamEvent,
  unfinishedResponse,
} from './model-streams.ts';
export { openPiLab, type PiLabOptions } from './pi-lab.ts';
export { type RecordedLine, type Recording, type Replayed, readRecordings, replayRecording } from './replay.ts';
