import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Deltas of about 300 bytes; deltas with tool results up to 200 KB between them, and one of 5 MB in 20,000; frames of 5 MB. */
export type Shape = 'delta' | 'mixed' | 'huge';
export type Framing = 'lines' | 'rpc' | 'headers';

export interface Traffic {
  readonly path: string;
  readonly frames: number;
  /** Frames that say something a host shows: each must come out as a record. */
  readonly shown: number;
}

const SESSION = '00000000-0000-4000-8000-00000000000a';
const SECRET_EVERY = 2_000;
const HUGE_EVERY = 20_000;
const HUGE_CHARACTERS = 5_000_000;
const words =
  'the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part const function return await import export index value result error string buffer'.split(
    ' ',
  );

/** A generator of the same numbers on every machine (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Writes the traffic once and keeps it; the same arguments give the same bytes. */
export function writeTraffic(folder: string, shape: Shape, framing: Framing, frames: number): Traffic {
  const path = join(folder, `${shape}-${framing}-${frames}.v2`);
  if (existsSync(`${path}.json`)) return JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Traffic;
  mkdirSync(folder, { recursive: true });
  const random = createRandom(frames);
  const file = openSync(`${path}.part`, 'w');
  let batch: string[] = [];
  let shown = 0;
  for (let n = 0; n < frames; n += 1) {
    const native = toFrame(shape, n, random);
    if (!('rate_limit_info' in native)) shown += 1;
    batch.push(frame(native, framing));
    if (batch.length < 256 && shape !== 'huge') continue;
    writeSync(file, batch.join(''));
    batch = [];
  }
  writeSync(file, batch.join(''));
  closeSync(file);
  renameSync(`${path}.part`, path);
  const traffic = { path, frames, shown };
  writeFileSync(`${path}.json`, JSON.stringify(traffic));
  return traffic;
}

function frame(native: object, framing: Framing): string {
  if (framing === 'lines') return `${JSON.stringify(native)}\n`;
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: toUpdate(native) } });
  return framing === 'rpc' ? `${body}\n` : `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The same text as an ACP client gets it. */
function toUpdate(native: object): object {
  const { event, message } = native as {
    event?: { delta: { text: string } };
    message?: { content: { content?: string; text?: string }[] };
  };
  const text = event?.delta.text ?? message?.content[0]?.text ?? message?.content[0]?.content ?? '';
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

function toFrame(shape: Shape, n: number, random: () => number): object {
  const secret = n % SECRET_EVERY === SECRET_EVERY - 1;
  const isHuge = shape === 'huge' || (shape === 'mixed' && n % HUGE_EVERY === HUGE_EVERY / 2);
  if (isHuge) return toolResult(n, prose(random, HUGE_CHARACTERS, secret), random);
  const kind = shape === 'delta' ? 0 : random();
  if (kind < 0.85) return delta(prose(random, 10 + random() * 60, secret), random);
  if (kind < 0.931) return assistant(n, prose(random, 1_000 + random() * 3_000, secret), random);
  if (kind < 0.986) return toolResult(n, prose(random, 500 + random() * 7_000, secret), random);
  if (kind < 0.99) return toolResult(n, prose(random, 50_000 + random() * 150_000, secret), random);
  return { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' }, uuid: uuid(random), session_id: SESSION };
}

const delta = (text: string, random: () => number) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  session_id: SESSION,
  parent_tool_use_id: null,
  uuid: uuid(random),
  api_message_id: 'msg_Km4pOVWLunFIPA6o',
});

const assistant = (n: number, text: string, random: () => number) => ({
  type: 'assistant',
  message: {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    usage: { input_tokens: 9 },
  },
  parent_tool_use_id: null,
  session_id: SESSION,
  uuid: uuid(random),
});

const toolResult = (n: number, content: string, random: () => number) => ({
  type: 'user',
  message: { role: 'user', content: [{ tool_use_id: `toolu_${n}`, type: 'tool_result', content, is_error: false }] },
  parent_tool_use_id: null,
  session_id: SESSION,
  uuid: uuid(random),
});

function prose(random: () => number, characters: number, hasSecret: boolean): string {
  const parts = hasSecret ? [`key sk-ant-api03-${'x1Y2z3'.repeat(8)}`] : [];
  for (let length = 0; length < characters; ) {
    const word =
      random() < 0.02 ? `${words[Math.floor(random() * words.length)]}.\n` : (words[Math.floor(random() * words.length)] ?? '');
    parts.push(word);
    length += word.length + 1;
  }
  return ` ${parts.join(' ')}`;
}

function uuid(random: () => number): string {
  const hex = () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  const all = `${hex()}${hex()}${hex()}${hex()}`;
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-4${all.slice(13, 16)}-8${all.slice(17, 20)}-${all.slice(20)}`;
}
