import type { PermissionDecision, RecordDraft, Step } from '@native-compaction/core';
import { object, optional, rpcRefusal, rpcResult, text } from '@native-compaction/transport';
import type { CodexOut, Fact } from './frames.ts';
import type { CodexState } from './state.ts';

type ApprovalStep = Step<CodexState, CodexOut>;

/** Approvals go to the host; every other request gets the protocol's error reply (T8). */
export function stepRequest(state: CodexState, fact: Extract<Fact, { kind: 'request' }>, n: number): ApprovalStep {
  const { id, method, params } = fact;
  const key = String(id);
  if (!(method in approvals)) {
    return {
      state,
      records: [{ type: 'native_request_refused', method }],
      writes: [{ frame: rpcRefusal(id, method), ref: { kind: 'answer', id: key } }],
    };
  }
  const record: RecordDraft = {
    type: 'permission_asked',
    permissionId: key,
    tool: method === 'item/fileChange/requestApproval' ? 'fileChange' : 'commandExecution',
    input: {
      ...optional('command', text(params.command)),
      ...optional('cwd', text(params.cwd)),
      ...optional('reason', text(params.reason)),
      ...optional('grantRoot', text(params.grantRoot)),
      ...optional('changes', state.changes[text(params.itemId) ?? '']),
    },
    frame: n,
    ...optional('toolCallId', text(params.itemId)),
  };
  return { state: { ...state, permissions: { ...state.permissions, [key]: { id, method } } }, records: [record] };
}

/** The words each approval takes for yes and no. */
const approvals: Readonly<Record<string, readonly [string, string]>> = {
  'item/commandExecution/requestApproval': ['accept', 'decline'],
  'item/fileChange/requestApproval': ['accept', 'decline'],
  execCommandApproval: ['approved', 'denied'],
  applyPatchApproval: ['approved', 'denied'],
};

export function answerFrame(state: CodexState, key: string, decision: PermissionDecision): CodexOut | undefined {
  const question = state.permissions[key];
  const words = question && approvals[question.method];
  return question && words ? rpcResult(question.id, { decision: decision === 'allow' ? words[0] : words[1] }) : undefined;
}

export function answerRecords(state: CodexState, frame: CodexOut, key: string): ApprovalStep {
  if (!(key in state.permissions)) return { state, records: [] };
  const { [key]: _answered, ...permissions } = state.permissions;
  const isAllowed = ['accept', 'approved'].includes(text(object(frame.result)?.decision) ?? '');
  return {
    state: { ...state, permissions },
    records: [{ type: 'permission_answered', permissionId: key, decision: isAllowed ? 'allow' : 'deny', by: 'client' }],
  };
}
