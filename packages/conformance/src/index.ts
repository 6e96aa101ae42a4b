export { disturbances, type Enumerated, type EnumerationModel, enumerate } from './enumerate.ts';
export { type CodexLabOptions, type Lab, openClaudeLab, openCodexLab } from './lab.ts';
export {
  type CodexTurn,
  DEFAULT_SUMMARY,
  defaultScript,
  type ModelRequest,
  type ModelServer,
  openModelServer,
  type Reply,
  type ReplyUsage,
  type Script,
} from './model-server.ts';
