#!/usr/bin/env node
// The twin of feeder.c for machines without a compiler: the same requests, the same answers, the same bytes.
import { readFileSync, writeSync } from 'node:fs';

const { BENCH_TRAFFIC, BENCH_REPEAT = '1', BENCH_MODE = 'lines' } = process.env;
const traffic = BENCH_TRAFFIC ? readFileSync(BENCH_TRAFFIC) : Buffer.alloc(0);
const hasHeaders = BENCH_MODE === 'headers';
const session = '"session_id":"00000000-0000-4000-8000-00000000000a"';

function put(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at, Math.min(65_536, bytes.length - at));
    } catch (error) {
      if (error.code !== 'EAGAIN') process.exit(0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
const say = (line) => put(Buffer.from(hasHeaders ? `Content-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}` : `${line}\n`));
const flood = () => {
  for (let left = Number(BENCH_REPEAT); left > 0; left -= 1) put(traffic);
};
const member = (line, name) => new RegExp(`"${name}":("[^"]*"|[^,}]*)`).exec(line)?.[1] ?? 'null';

function result(uuid, extra = '') {
  say(
    `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"","duration_ms":1,${extra}"user_message_uuid":${uuid},"user_message_uuids":[${uuid}],${session}}`,
  );
}

function compaction(uuid) {
  say(`{"type":"command_lifecycle","command_uuid":${uuid},"state":"started",${session}}`);
  say(`{"type":"system","subtype":"status","status":"compacting",${session}}`);
  say(`{"type":"system","subtype":"status","status":null,"compact_result":"success",${session}}`);
  say(`{"type":"system","subtype":"init",${session},"capabilities":["msg_lifecycle_v1"],"user_message_uuids":[${uuid}]}`);
  say(
    `{"type":"system","subtype":"compact_boundary","uuid":${uuid},${session},"compact_metadata":{"trigger":"manual","pre_tokens":9,"post_tokens":3}}`,
  );
  result(uuid, '"local_command":"compact",');
}

function take(line) {
  if (line.includes('"jsonrpc"')) {
    if (line.includes('"method":"flood"') || line.includes('"method":"session/prompt"')) flood();
    say(`{"jsonrpc":"2.0","id":${member(line, 'id')},"result":{"protocolVersion":1,"sessionId":"s","stopReason":"end_turn"}}`);
  } else if (line.includes('"control_request"')) {
    say(
      `{"type":"control_response","response":{"subtype":"success","request_id":${member(line, 'request_id')},"response":{"commands":[{"name":"compact","description":"compact","builtin":true}],"claude_code_version":"2.1.332","session_state":"idle","models":[],"account":{}}}}`,
    );
  } else if (line.includes('"type":"user"')) {
    if (line.includes('"hold"')) return;
    const uuid = member(line, 'uuid');
    if (line.includes('"/compact"')) return void compaction(uuid);
    flood();
    result(uuid);
  } else if (line.includes('"type":"prompt"') || line.includes('"type":"get_state"')) {
    const command = line.includes('"type":"prompt"') ? 'prompt' : 'get_state';
    say(`{"id":${member(line, 'id')},"type":"response","command":"${command}","success":true,"data":{}}`);
    if (command === 'get_state') return;
    flood();
    result('null');
  }
}

let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  if (BENCH_MODE === 'exec') return;
  for (let body = next(); body !== undefined; body = next()) take(body);
});
process.stdin.on('end', () => {
  if (BENCH_MODE !== 'exec') return;
  flood();
  result('null');
});

/** The next whole message of what was read, if there is one. */
function next() {
  let start = 0;
  let end = rest.indexOf(10);
  let skip = 1;
  if (hasHeaders) {
    start = rest.indexOf('\r\n\r\n') + 4;
    end = start + Number(/Content-Length: *(\d+)/i.exec(rest.toString('latin1', 0, Math.max(0, start)))?.[1] ?? Number.NaN);
    skip = 0;
    if (start < 4) return undefined;
  }
  if (end < 0 || end > rest.length || Number.isNaN(end)) return undefined;
  const body = rest.toString('utf8', start, end);
  rest = rest.subarray(end + skip);
  return body;
}
