export type { AnchorRoute, ManualCompaction, PromptChange, RuntimeId, WhenInEffect } from './capability.ts';
export {
  type Checkpoint,
  checkpointSchema,
  initialView,
  parseCheckpoint,
  reduceView,
  type SessionView,
  type TaskState,
} from './checkpoint.ts';
export { type Clock, systemClock } from './clock.ts';
export { type CompactAllSettings, compactAll } from './compact-all.ts';
export { type CompactOptions, MAX_TIMEOUT_MS, parseCompactOptions } from './compact-options.ts';
export {
  type CompactionResult,
  type CompactionStatus,
  compactionResultSchema,
  type Evidence,
  type FailureHint,
  failureHints,
  type Outcome,
  type RejectReason,
  rejectReasons,
  type TokenCounts,
  type UnconfirmedReason,
  unconfirmedReasons,
} from './compact-result.ts';
export { type ControlState, controlStateSchema } from './control-state.ts';
export { type CommonSetup, createRuntime, type RuntimeSetup } from './create-runtime.ts';
export { type ErrorCode, isNativeCompactionError, NativeCompactionError, thrownText } from './errors.ts';
export {
  CLOCK_TOLERANCE_MS,
  type DurableEvidence,
  type Finding,
  processGone,
  type Reconciler,
  type UnknownReason,
  unknownFinding,
  unknownReasons,
} from './finding.ts';
export type {
  Admission,
  CompactRequest,
  EndReason,
  Entry,
  EntryBody,
  ExitFacts,
  HostAsk,
  Machine,
  PermissionDecision,
  Ref,
  Settlement,
  Step,
  Trail,
  Wire,
  Write,
} from './machine.ts';
export {
  type OpenOptions,
  openOptionsShape,
  type PromptOptions,
  type RuntimeOptions,
  runtimeOptionsShape,
} from './open-options.ts';
export { openSession } from './open-session.ts';
export { parseOptions } from './parse-options.ts';
export type { PermissionCallback, PermissionRequest } from './permissions.ts';
export { REQUIRED_WINDOW } from './readers.ts';
export { type Reconciled, reconcile } from './reconcile.ts';
export {
  type CompactionOrigin,
  type InputOutcome,
  inputOutcomes,
  type RecordDraft,
  type RecordType,
  recordTypes,
  type SessionRecord,
  sessionRecordSchema,
  type TurnOutcome,
  turnOutcomes,
  type Usage,
  type VendorProcess,
  vendorProcessSchema,
} from './record.ts';
export { createRedactor, REDACTED, type Redactor } from './redact.ts';
export { createRegistry, type Registry } from './registry.ts';
export { toResume } from './resume.ts';
export type { Retain, Runtime } from './runtime.ts';
export type { Cursor, Frame, Input, InputHandle, Session, SessionEvents } from './session.ts';
export { READ_TIMEOUT_MS, type SessionSetup } from './session-setup.ts';
export { freeSlot, type Slot, type SlotEvent, type SlotStep, stepSlot } from './slot.ts';
export {
  type AgentStatus,
  findControl,
  initialStatusState,
  reduceStatus,
  type StatusState,
  statusStateSchema,
  statusValue,
} from './status.ts';
