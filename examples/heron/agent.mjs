#!/usr/bin/env node
// Heron, a made-up coding agent: one JSON object a line on stdin and stdout, sessions as files below HERON_HOME, and a model at
// HERON_URL. It is here so that a backend for an agent of your own has something to be compared with.
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { HERON_HOME = '.', HERON_URL = '', HERON_LIMIT = '100000' } = process.env;
const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
const file = () => join(HERON_HOME, `${session.id}.jsonl`);
const keep = (row) => appendFileSync(file(), `${JSON.stringify(row)}\n`);
const session = { id: '', system: '', history: [], used: 0 };
const questions = new Map();
const waiting = [];
let running;

const SUMMARIZE = 'HERON: write a summary of everything above.';

function open({ id, session: known, system = 'You are Heron.', append = '' }) {
  session.id = known ?? crypto.randomUUID();
  session.system = `${system}\n${append}`;
  if (known !== undefined && !existsSync(file())) return say({ type: 'refused', id, message: `no session ${known}` });
  for (const line of known === undefined ? [] : readFileSync(file(), 'utf8').trim().split('\n')) {
    const row = JSON.parse(line);
    if (row.compacted) session.history = [];
    session.history.push(row.message);
  }
  say({ type: 'opened', id, session: session.id, version: '1.0' });
}

async function ask(extra, signal) {
  const messages = [...session.history, ...extra];
  const body = JSON.stringify({ model: 'heron', max_tokens: 100, system: session.system, messages });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'dummy' };
  const response = await fetch(`${HERON_URL}/v1/messages`, { method: 'POST', headers, body, signal });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `status ${response.status}`);
  session.used = answer.usage?.input_tokens ?? 0;
  return answer.content ?? [];
}

const textOf = (content) => content.map((part) => part.text ?? '').join('');

async function compact(id, cause, signal) {
  if (session.history.length < 2) throw new Error('nothing to compact');
  const before = session.used;
  const summary = textOf(await ask([{ role: 'user', content: SUMMARIZE }], signal));
  session.history = [{ role: 'user', content: summary }];
  session.used = 0;
  keep({ compacted: cause, message: session.history[0] });
  say({ type: 'compacted', id, cause, before });
}

async function prompt({ id, text }, signal) {
  if (session.used > Number(HERON_LIMIT)) await compact(id, 'automatic', signal);
  const asked = { role: 'user', content: text };
  session.history.push(asked);
  keep({ message: asked });
  let content = await ask([], signal);
  const call = content.find((part) => part.type === 'tool_use');
  if (call) {
    say({ type: 'question', id: call.id, tool: call.name, input: call.input });
    const { promise, resolve } = Promise.withResolvers();
    questions.set(call.id, resolve);
    signal.addEventListener('abort', () => resolve(false));
    if (await promise) await new Promise((done) => execFile('touch', [call.input.path], done));
    signal.throwIfAborted();
    content = [{ type: 'text', text: 'done' }];
  }
  const message = { role: 'assistant', content: textOf(content) };
  session.history.push(message);
  keep({ message });
  say({ type: 'text', id, text: message.content });
}

async function work() {
  if (running) return;
  for (running = waiting.shift(); running; running = waiting.shift()) {
    const { frame, controller } = running;
    say({ type: 'started', id: frame.id, what: frame.type });
    try {
      if (frame.type === 'compact') await compact(frame.id, 'asked', controller.signal);
      else await prompt(frame, controller.signal);
      say({ type: 'ended', id: frame.id, outcome: 'completed' });
    } catch (error) {
      const outcome = controller.signal.aborted ? 'cancelled' : 'failed';
      say({ type: 'ended', id: frame.id, outcome, message: String(error.message) });
    }
  }
}

const handlers = {
  open,
  status: ({ id }) => say({ type: 'status', id, busy: running !== undefined }),
  cancel({ id, target }) {
    if (running?.frame.id === target) running.controller.abort();
    say({ type: 'answer', id });
  },
  permit: ({ id, allow }) => questions.get(id)?.(allow),
  compact(frame) {
    say({ type: 'accepted', id: frame.id });
    waiting.push({ frame, controller: new AbortController() });
    setImmediate(work);
  },
  prompt(frame) {
    // Heron's own weakness: what is said to it while it compacts is lost.
    if (running?.frame.type === 'compact' || waiting.length > 0) return;
    handlers.compact(frame);
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const frame = JSON.parse(line);
    handlers[frame.type]?.(frame);
  })
  .on('close', () => process.exit(0));
