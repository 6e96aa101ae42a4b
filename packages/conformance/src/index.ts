export type { ConformanceCase } from './case.ts';
export { harmful, harmless } from './cases/faults.ts';
export { casesFor } from './cases-for.ts';
export { type CodexLabOptions, openCodexLab } from './codex-lab.ts';
export { defineConformance, promisesOf, type TestRunner } from './define-conformance.ts';
export { disturbances, type Enumerated, type EnumerationModel, enumerate, insertions, runSequence } from './enumerate.ts';
export { faultKinds } from './fault-kinds.ts';
export {
  type Fault,
  type FaultKind,
  harmfulKinds,
  harmlessKinds,
  type PlanOptions,
  planFaults,
  type Rounds,
} from './faults/plan.ts';
export { type FaultProxy, type FaultProxyOptions, openFaultProxy } from './faults/proxy.ts';
export { recordOf, recordsSoFar, say } from './following.ts';
export { createLab, type Lab, openClaudeLab } from './lab.ts';
export type { Holdings } from './leaks.ts';
export { brokenPromise, createLoopModel, type Happening, type LoopModel, type LoopModelSetup, MODEL_IDS } from './loop-model.ts';
export type { CodexTurn, ModelRequest, Reply, ReplyUsage } from './model-messages.ts';
export {
  DEFAULT_SUMMARY,
  defaultScript,
  type ModelServer,
  type ModelServerOptions,
  openModelServer,
  type Script,
} from './model-server.ts';
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
export { type CaseOutcome, type CaseReport, runCase } from './report.ts';
export type { Requirement } from './requirement.ts';
export { requirements } from './requirements.ts';
export { type ConformanceReport, type RunOptions, runConformance } from './run-conformance.ts';
export { runSoak, type SoakOptions, type SoakReport } from './run-soak.ts';
export { createTestClock, openScripted, type Scripted, type TestClock } from './scripted-peer.ts';
export type { Subject, SubjectOptions, WrittenKind } from './subject.ts';
export { createClaudeSubject } from './subjects/claude.ts';
export { createCodexSubject } from './subjects/codex.ts';
export { createPiSubject, seedPi } from './subjects/pi.ts';
export type { VendorSubjectOptions } from './subjects/vendor-subject.ts';
export { conformanceCases } from './suite.ts';
export { openTrial, type Trial } from './trial.ts';
