// Runs before `npm start` and `npm test`, so it is plain JavaScript that any Node from 20 on understands:
// TypeScript runs only under the Node that the package `node` brings in here.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** The packages that a lock file names, by path; undefined if there is no such file. */
function packagesOf(lockFile) {
  const url = new URL(lockFile, root);
  return existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')).packages : undefined;
}

/** Whether node_modules holds what package-lock.json asks for; npm notes what it installed in its own lock file. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!installed) return false;
  return Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) => {
    const found = installed[path];
    // An optional package may be for another platform, and the one without a path is the project itself.
    if (!found) return path === '' || wanted.optional || wanted.devOptional;
    const isSame = found.version === wanted.version && found.integrity === wanted.integrity;
    return isSame && existsSync(new URL(`${path}/package.json`, root));
  });
}

/** A link to the number of the process that installs: made with its content in one step. */
const lock = new URL('.wrangler/installing', root);

/** Makes this the only process that installs, until it ends. Waits for another, since two would break each other's work. */
function takeTurn() {
  mkdirSync(new URL('.', lock), { recursive: true });
  for (let said; ; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)) {
    try {
      symlinkSync(String(process.pid), lock);
      return process.on('exit', () => rmSync(lock));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = findHolder();
    if (holder && holder !== said) {
      console.error(`Waiting for process ${holder}, which installs the packages.`);
      said = holder;
    }
  }
}

/** The process that installs. Removes the lock of one that was killed. */
function findHolder() {
  try {
    const holder = Number(readlinkSync(lock));
    process.kill(holder, 0);
    return holder;
  } catch ({ code }) {
    // EPERM: another user's process. ENOENT: the lock is gone.
    if (code === 'ESRCH') rmSync(lock, { force: true });
    return undefined;
  }
}

/** `npm ci`, with the npm that runs this script and the Node that runs that npm: node_modules is about to go. */
function install() {
  const { npm_node_execpath: node = process.execPath, npm_execpath: npm } = process.env;
  if (!npm) fail('Run it through npm: npm start, or npm test.');
  // On standard error: standard output is the result of the script that comes next.
  console.error('Installing the packages of package-lock.json, which takes about a minute.');
  const options = { cwd: fileURLToPath(root), stdio: ['ignore', 2, 2] };
  const { status } = spawnSync(node, [npm, 'ci', '--include=dev', '--loglevel=error'], options);
  if (status !== 0)
    fail('npm ci failed, see above; with the network there, run the command again.');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node 20 or newer is needed; this is ${process.versions.node}.`);
}
if (!isInstalled()) {
  try {
    takeTurn();
  } catch (error) {
    fail(`The packages cannot be installed: ${error.message}`);
  }
  // Another process may have done it meanwhile.
  if (!isInstalled()) install();
}
if (!existsSync(new URL('node_modules/.bin/node', root))) {
  fail(
    'The package `node` is incomplete: npm did not run its install script.\n' +
      'Allow it (npm config set ignore-scripts false), delete node_modules and run the command again.',
  );
}
