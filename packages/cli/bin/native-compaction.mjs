#!/usr/bin/env node
// An older Node fails while it loads what is below, so it is told here first.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) await run();
else {
  console.error(`native-compaction needs Node 22.19 or newer, and this is ${process.versions.node} (${process.execPath}).`);
  process.exitCode = 1;
}

async function run() {
  // A promise that nobody keeps would end it with 13, which stands for something here.
  process.exitCode = 1;
  const { runCli } = await import('native-compaction').catch(toMissing);
  if (runCli === undefined) return;
  // While Node takes itself apart a Ctrl-C would put its own code in the place of the one that was told; this ends without that.
  process.once('beforeExit', () => process.exit());
  process.exitCode = await runCli(process.argv.slice(2));
}

/** In a clone what is built is not there at first. */
function toMissing(error) {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && /[\\/]dist[\\/]/.test(error.message);
  if (!missing) throw error;
  console.error('native-compaction is not built yet. In its clone, run "npm run build", and then this command again.');
  return {};
}
