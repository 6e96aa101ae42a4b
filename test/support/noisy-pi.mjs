import { spawn } from 'node:child_process';

/** The real Pi with lines of others among its own: no JSON, JSON that is no object, and frames with odd members. */
const child = spawn(process.execPath, [process.env.REAL_PI, ...process.argv.slice(2)], { stdio: ['pipe', 'pipe', 'inherit'] });
const noise = [
  'null',
  '"text"',
  '[1]',
  '{"type":null}',
  'not json at all',
  '',
  '{"type":"compaction_start"}',
  '{"type":"compaction_start","reason":"whatever"}',
  '{"type":"compaction_end","reason":7,"result":{"summary":"FALSE"},"aborted":false}',
  '{"type":"response","id":7,"command":{},"success":"yes","data":null}',
  '{"type":"response","command":"compact","success":true,"data":{"summary":"FALSE"}}',
  '{"type":"message_end","message":{"role":"assistant","content":{"odd":true},"usage":"none"}}',
  '{"type":"queue_update","steering":7}',
  '{"type":"tool_execution_end","result":[]}',
  '{"type":"something_new","api_key":"sk-0123456789abcdef0123456789"}',
];
let rest = '';
child.stdout.on('data', (chunk) => {
  const lines = `${rest}${chunk}`.split('\n');
  rest = lines.pop();
  for (const line of lines) process.stdout.write(`${[...noise, line].join('\n')}\n`);
});
process.stdin.pipe(child.stdin);
child.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
