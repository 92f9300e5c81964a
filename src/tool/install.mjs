// Runs before `npm start` and `npm test`, so it is plain JavaScript that any Node from 20 on understands:
// TypeScript runs only under the Node among the packages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** The packages that a lock file names, by path; undefined if there is no such file. */
function packagesOf(lockFile) {
  const url = new URL(lockFile, root);
  return existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')).packages : undefined;
}

/** The digest of the lock file from which npm installed last. The next `npm ci` removes it with node_modules. */
const installedFrom = new URL('node_modules/.installed-from', root);

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', root)))
    .digest('hex');

/** The packages that package-lock.json asks for and npm has not noted in its own lock file, by path. */
function findMissing(isAskedFor) {
  const installed = packagesOf('node_modules/.package-lock.json') ?? {};
  return Object.entries(packagesOf('package-lock.json')).flatMap(([path, wanted]) =>
    installed[path] || !isAskedFor(wanted, path) ? [] : [path],
  );
}

/** Of every platform. The package without a path is the project itself. */
const isRequired = (wanted, path) => path !== '' && !wanted.optional && !wanted.devOptional;

/** A program for this platform, such as Node. npm succeeds without it: it counts as optional. Of the C library, npm knows more. */
const isForPlatform = ({ os, cpu, libc }) =>
  !libc && os?.includes(process.platform) && cpu?.includes(process.arch);

/** Why the packages have to be installed; undefined if node_modules holds what package-lock.json asks for. */
function findReason() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!installed) return 'nothing is installed';
  const wanted = packagesOf('package-lock.json');
  for (const [path, { version, integrity }] of Object.entries(installed)) {
    if (!wanted[path]) continue;
    if (version !== wanted[path].version || integrity !== wanted[path].integrity) {
      return `${path} is not version ${wanted[path].version}`;
    }
    if (!existsSync(new URL(`${path}/package.json`, root))) return `${path} is gone`;
  }
  // npm leaves out a package that package.json does not ask for, however often it installs.
  const isTried = existsSync(installedFrom) && readFileSync(installedFrom, 'utf8') === lockDigest();
  const [missing] = [...findMissing(isForPlatform), ...(isTried ? [] : findMissing(isRequired))];
  return missing && `${missing} is missing`;
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

/** A process that installs. Removes the lock if all that it names were killed. */
function findHolder() {
  try {
    const holder = readlinkSync(lock).split(' ').map(Number).find(isAlive);
    if (holder === undefined) rmSync(lock, { force: true });
    return holder;
  } catch ({ code }) {
    if (code !== 'ENOENT') throw new Error(`${fileURLToPath(lock)}: ${code}`);
    return undefined;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch ({ code }) {
    // Another user's process.
    return code === 'EPERM';
  }
}

/** Names npm in the lock, too: it may go on when this process is killed, and nobody else may install until it ends. */
function nameInLock(pid) {
  const next = new URL(`.wrangler/installing.${pid}`, root);
  symlinkSync(`${process.pid} ${pid}`, next);
  renameSync(next, lock);
}

/** `npm ci`, with the npm that runs this script and the Node that runs that npm: node_modules is about to go. */
async function install(reason) {
  const { npm_node_execpath: node = process.execPath, npm_execpath: npm } = process.env;
  if (!npm) fail('Run it through npm: npm start, or npm test.');
  // On standard error: standard output is the result of the script that comes next.
  console.error(
    `Installing the packages of package-lock.json, which takes about a minute: ${reason}.`,
  );
  const words = [npm, 'ci', '--include=dev', '--loglevel=http'];
  const child = spawn(node, words, { cwd: fileURLToPath(root), stdio: ['ignore', 2, 'pipe'] });
  nameInLock(child.pid);
  let interrupted;
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ]) {
    process.on(signal, () => {
      interrupted = 128 + number;
      child.kill('SIGKILL');
    });
  }
  sayHowFarItIs(child.stderr);
  const [status] = await once(child, 'close');
  if (interrupted) process.exit(interrupted);
  if (status !== 0)
    fail('npm ci failed, see above; with the network there, run the command again.');
  writeFileSync(installedFrom, lockDigest());
  for (const missing of findMissing(isRequired)) {
    console.error(
      `${missing} is missing: package.json does not ask for it. npm install corrects the lock file.`,
    );
  }
  const failed = findMissing(isForPlatform);
  if (failed.length > 0) {
    fail(
      `npm could not install ${failed.join(', ')}, and reports no error for a platform's package.\n` +
        'Is it in the registry that npm uses (npm config get registry)? Then run the command again.',
    );
  }
}

/** Prints what npm prints without its requests. Every ten seconds, says how many packages it has, or once what it waits for. */
function sayHowFarItIs(output) {
  const { npm_config_registry: registry = 'the npm registry' } = process.env;
  let failure = '';
  let fetched = 0;
  let reported = 0;
  let isWaiting = false;
  const say = () => {
    if (fetched > reported) console.error(`npm has fetched ${fetched} packages.`);
    else if (!isWaiting) {
      console.error(`npm has fetched no package from ${registry} for ten seconds${failure}.`);
    }
    isWaiting = fetched === reported;
    reported = fetched;
  };
  setInterval(say, 10_000).unref();
  createInterface({ input: output }).on('line', (line) => {
    const [, level, words] = /^npm (http|warn|notice) (.*)/.exec(line) ?? [];
    if (level === undefined) console.error(line);
    if (level !== 'http') return;
    const [failed] = /\S+ attempt \d+ failed with .*/.exec(words) ?? [];
    if (failed) failure = `: ${failed}`;
    else if (words.includes('.tgz')) fetched += 1;
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node 20 or newer is needed; this is ${process.versions.node}.`);
}
if (findReason()) {
  try {
    takeTurn();
  } catch (error) {
    fail(`The packages cannot be installed: ${error.message}`);
  }
  // Another process may have done it meanwhile.
  const reason = findReason();
  if (reason) await install(reason);
}
if (!existsSync(new URL('node_modules/.bin/node', root))) {
  fail(
    `package.json has no Node for ${process.platform} on ${process.arch}: the README names the platforms.`,
  );
}
