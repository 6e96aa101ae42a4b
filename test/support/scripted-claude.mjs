#!/usr/bin/env node
// Stands in for Claude Code where the real one cannot be made to misbehave on demand. It answers `initialize` and plays the
// play named by PLAY when it gets its first user message.
import { createInterface } from 'node:readline';

const catalogue = [{ name: 'compact', description: 'compact', builtin: true }];
const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const session_id = '00000000-0000-4000-8000-00000000000a';

const plays = {
  /** Lines that are no JSON objects between the frames of a whole proof. */
  noise(uuid) {
    process.stdout.write('not json\n\n   \r\nnull\n42\n"text"\n[1]\n{"broken":\n');
    proof(uuid, 'start');
    process.stdout.write('\u2028\u0000\u0007 warning: something\n');
    proof(uuid, 'end');
  },
  /** The whole proof at once. */
  proof(uuid) {
    proof(uuid, 'start');
    proof(uuid, 'end');
  },
  /** More text than anybody wants to read. */
  async flood(uuid) {
    say({ type: 'command_lifecycle', command_uuid: uuid, state: 'started', session_id });
    const text = 'y'.repeat(1_000);
    for (let i = 0; i < 40_000; i += 1) {
      const frame = {
        type: 'assistant',
        session_id,
        parent_tool_use_id: null,
        message: { id: `m${i}`, content: [{ type: 'text', text }] },
      };
      if (!process.stdout.write(`${JSON.stringify(frame)}\n`)) await new Promise((done) => process.stdout.once('drain', done));
      if (i % 1_000 === 0) process.stderr.write(`written ${i}\n`);
    }
    say({
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      user_message_uuid: uuid,
      user_message_uuids: [uuid],
      session_id,
    });
  },
  /** Secrets on stderr, then an exit. */
  secrets() {
    process.stderr.write(`fatal: ${process.env.PLAY_STDERR}\n`, () => process.exit(3));
  },
};

function proof(uuid, part) {
  if (part === 'start') {
    say({ type: 'command_lifecycle', command_uuid: uuid, state: 'queued', session_id });
    say({ type: 'command_lifecycle', command_uuid: uuid, state: 'started', session_id });
    say({ type: 'system', subtype: 'status', status: 'compacting', session_id });
    return;
  }
  const names = { user_message_uuid: uuid, user_message_uuids: [uuid] };
  say({ type: 'system', subtype: 'status', status: null, compact_result: 'success', session_id });
  say({ type: 'system', subtype: 'init', session_id, capabilities: ['msg_lifecycle_v1'], user_message_uuids: [uuid] });
  say({
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b1',
    session_id,
    compact_metadata: { trigger: 'manual', pre_tokens: 9, post_tokens: 3 },
  });
  say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 0,
    result: '',
    local_command: 'compact',
    session_id,
    ...names,
  });
  say({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed', session_id });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const frame = JSON.parse(line);
  if (frame.type === 'user') return void plays[process.env.PLAY](frame.uuid);
  if (frame.request?.subtype === 'initialize' && process.env.PLAY === 'secrets') return plays.secrets();
  if (frame.type !== 'control_request') return;
  if (process.env.PLAY === 'refuse') {
    return say({ type: 'control_response', response: { subtype: 'error', request_id: frame.request_id, error: 'not today' } });
  }
  const response = { commands: catalogue, claude_code_version: process.env.PLAY_VERSION ?? '2.1.332', session_state: 'idle' };
  say({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response } });
});
