// Attach to a Pi session that your program already holds in this process; what you call on it yourself stays yours.
import { createPiSdkRuntime, type PiSdk } from '@native-compaction/pi/sdk';

// In your own program: import * as pi from '@earendil-works/pi-coding-agent'.
const pi = (await import(process.env.PI_MODULE ?? '@earendil-works/pi-coding-agent')) as PiSdk;
const { session: agent } = await pi.createAgentSession();
await agent.prompt('Remember the word heron, please. '.repeat(20));

const runtime = createPiSdkRuntime({ sdk: pi });
const session = await runtime.attach(agent);
session.on('record', (record) => {
  if (record.type === 'compaction_started') console.log(`a ${record.origin} compaction started`);
});

await session.send('And the word crane. '.repeat(20)).ended;
const [result, inTheWay] = await Promise.all([session.compact({ instructions: 'Keep every word.' }), session.compact()]);
console.log(`${result.status}, context ${result.context}`);
console.log(inTheWay.status === 'rejected' ? `the other one: ${inTheWay.reason}` : inTheWay.status);

// Your own call is somebody else's here: seen, never held, and it settles nothing of ours.
await agent.prompt('And the word stork. '.repeat(20));
await agent.compact().catch((error: unknown) => console.log(`your own call failed: ${error}`));

await session.dispose(); // only unsubscribes
await agent.prompt('Which words?');
console.log('the session is still yours');
agent.dispose();
