// Feed a session's records to a tracer through node:diagnostics_channel: the publisher knows no tracer, a tracer no session.
import diagnosticsChannel from 'node:diagnostics_channel';
import { createClaudeRuntime } from '@native-compaction/claude';
import type { SessionRecord } from '@native-compaction/core';

const channel = diagnosticsChannel.channel('native-compaction:record');

// A tracer: one span for each compaction, from its request to its native end.
const spans = new Map<string, { startMs: number; events: string[] }>();
channel.subscribe((message) => {
  const record = message as SessionRecord;
  if (record.type === 'compaction_requested') spans.set(record.requestId, { startMs: record.atMs, events: [] });
  if (!('requestId' in record) || record.requestId === undefined) return;
  const span = spans.get(record.requestId);
  span?.events.push(record.type);
  if (record.type === 'compaction_ended' && span)
    console.log(`span ${record.requestId}: ${record.outcome} in ${record.atMs - span.startMs} ms, ${span.events.join(' ')}`);
});

const runtime = createClaudeRuntime({ executable: process.env.CLAUDE_EXECUTABLE ?? 'claude' });
const session = await runtime.open({ model: process.env.CLAUDE_MODEL });
session.on('record', (record) => {
  if (channel.hasSubscribers) channel.publish(record);
});
await session.send('Hello.').ended;
await session.compact({ requestId: 'tidy' });
await runtime.close();
