import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf, daysBefore } from '../../base/time/day.ts';
import { type ListName, publicLists } from '../../list/lists.ts';
import {
  Contradiction,
  checkEntries,
  type Leaf,
  openCheckpoint,
} from '../../list/log/operator/verify.ts';
import { bundlesOf, unbundle } from '../../list/log/tree.ts';
import { reading, usageError } from '../command.ts';
import { writeWhole } from '../files/whole.ts';
import { openRunningServer } from '../local/server.ts';
import { configPath, localDirectory } from '../project.ts';
import { messageOf } from '../report/problem.ts';
import { counted } from '../report/text.ts';
import { type Report, report } from '../run.ts';
import { parseUrl } from '../service.ts';
import { parseSince } from '../time.ts';
import { domainAddress } from '../wrangler-config.ts';

const command = reading(
  'verify',
  'lists verify --url https://registry.example --key registry.example/log+c74f20a3+ARpc2Q…',
)
  .description('Verify the signed log of the lists, and that each day is served as it was logged')
  .option('--url <url>', 'where the service answers', parseUrl)
  .option('--key <key>', "the verifier's key (default: the last one, or the service's own)")
  .option('--since <day>', 'fetch what is new, and the lists of this day and later', parseSince)
  .option('--state <file>', 'what was seen the last time (default: beside the local data)')
  .addHelpText(
    'after',
    `
If the log contradicts what it said before, --state becomes the proof, and no later run changes it: move it away to
go on.`,
  );

export const verifyLists = command.action((options) => report(options, () => verify(options)));

type Given = ReturnType<typeof command.opts>;

interface Seen {
  key: string;
  checkpoint: string;
  /** Numbers of leaves whose lists were not fetched, or not served as they were logged. */
  left: number[];
  /** The log's own words when it contradicted itself or an earlier checkpoint. */
  contradiction?: { found: string; key: string; checkpoint: string; leaves: string[] };
}

async function verify({ since, ...given }: Given): Promise<Report> {
  const url = await addressOf(given);
  const file = given.state ?? stateFile(url, given.persistTo);
  const seen = readSeen(file);
  const log = await proveLog(url, given.key, file, seen);
  const { leaves, before } = log;
  const firstNew = before?.size ?? (since ? leaves.length : 0);
  const due = leaves.filter(
    ({ at, day }) => at >= firstNew || seen?.left.includes(at) || (since && day >= dayOf(since)),
  );
  const saveLeft = (left: Leaf[]) =>
    save(file, { key: log.key, checkpoint: log.note, left: left.map(({ at }) => at) });
  // The next run begins here, whatever the lists are.
  await saveLeft(due);
  const { left, problems } = await checkLists(url, due);
  await saveLeft(left);
  return verdictOn(log, due, problems);
}

/** Throws an Error if an earlier run has kept a contradiction, which no later one may forget. */
function readSeen(file: string): Seen | undefined {
  const seen: Seen | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined;
  if (!seen?.contradiction) return seen;
  throw new Error(`${seen.contradiction.found}; an earlier run has kept the proof in ${file}`);
}

type Log = Awaited<ReturnType<typeof proveLog>>;

/** Fetches the log, and throws an Error if it is not whole; a proof that the key's owner contradicts itself is kept. */
async function proveLog(url: string, given: string | undefined, file: string, seen?: Seen) {
  const known = given ?? seen?.key;
  const key = known ?? (await getText(url, '/log/key')).split('\n')[0]!;
  const note = await getText(url, '/log/checkpoint');
  const checkpoint = await openCheckpoint(note, key);
  const before = seen && (await openCheckpoint(seen.checkpoint, seen.key));
  const entries = await getEntries(url, checkpoint.size);
  const leaves = await checkEntries(checkpoint, entries, before).catch(async (error: Error) => {
    if (!(error instanceof Contradiction)) throw error;
    const words = entries.map((entry) => Buffer.from(entry).toString('latin1'));
    const contradiction = { found: error.message, key, checkpoint: note, leaves: words };
    await save(file, { key, checkpoint: note, left: [], ...seen, contradiction });
    throw new Error(`${error.message}; the proof is in ${file}`);
  });
  return { url, key, isKeyKnown: known !== undefined, note, before, leaves };
}

/** Returns the leaves that remain for the next run, and a clause for each kind of problem. */
async function checkLists(url: string, leaves: readonly Leaf[]) {
  const found = [];
  for (const leaf of leaves) found.push({ leaf, problem: await problemOf(url, leaf) });
  const wrong = found.filter(({ problem }) => problem !== undefined);
  const problems = Map.groupBy(wrong, ({ problem }) => problem);
  return {
    left: wrong.map(({ leaf }) => leaf),
    problems: [...problems].map(([problem, [first, ...others]]) => {
      const { list, day } = first!.leaf;
      return `the list ${list} of ${day} ${problem}${others.length > 0 ? `, and ${others.length} more` : ''}`;
    }),
  };
}

/** Says what was proved. Throws an Error if a list is not served as it was logged, or if the log has stopped. */
function verdictOn(log: Log, due: readonly Leaf[], problems: readonly string[]): Report {
  const { url, key, isKeyKnown, before, leaves } = log;
  const newest = daysOf(leaves).at(-1) ?? null;
  const source = isKeyKnown ? '' : " (the service's own word; give it with --key)";
  const held = [
    `${url}: ${counted(leaves.length, 'leaf', 'leaves')}${newest ? ` up to ${newest}` : ''} signed by ${key}${source}`,
    ...(before ? [`the ${before.size} seen before are among them`] : []),
  ].join('; ');
  if (problems.length > 0) {
    throw new Error(`${problems.join('; ')}; but the log itself is whole: ${held}`);
  }
  if (newest && newest < daysBefore(dayOf(currentTime()), 7)) {
    throw new Error(`nothing was appended to the log for more than a week: ${held}`);
  }
  const days = daysOf(due);
  const [first = null, last = null] = [days[0], days.at(-1)];
  return {
    data: {
      ...{ url, key, key_known_before: isKeyKnown, leaves: leaves.length, newest_day: newest },
      ...{ seen_before: before?.size ?? null, lists: days.length },
      ...{ first_day: first, last_day: last, verified: true },
    },
    text: `${held}; lists served as they were logged: ${days.length}${first ? ` (${first} to ${last})` : ''}`,
  };
}

const daysOf = (leaves: readonly Leaf[]) => leaves.map(({ day }) => day).sort();

async function addressOf({ url, remote, env, persistTo }: Given): Promise<string> {
  const local = async () => (await openRunningServer(localDirectory(persistTo), env))?.service;
  const found = url ?? (remote ? domainAddress(configPath, env ?? 'production') : await local());
  if (found) return found;
  throw usageError('no local server runs, or wrangler.toml has no domain: give --url');
}

function stateFile(url: string, persistTo: string | undefined): string {
  const host = new URL(url).host.replace(':', '-');
  return path.join(localDirectory(persistTo), `log-${host}.json`);
}

async function save(file: string, seen: Seen): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  await writeWhole(file, async (target) => writeFileSync(target, JSON.stringify(seen, null, 2)));
}

/** Enough for a list of 10,000,000 names. */
const patienceMilliseconds = 600_000;

/** Waits and tries again while the service refuses because of its limit for an address. */
async function get(url: string, resource: string, tries = 10): Promise<Response> {
  const signal = AbortSignal.timeout(patienceMilliseconds);
  const response = await fetch(new URL(resource, url), { signal }).catch((error) => {
    throw new Error(`${url} cannot be reached: ${messageOf(error)}`);
  });
  if (response.status !== 429 || tries === 1) return response;
  // The header may be missing, a date or very long.
  const seconds = Math.min(60, Number(response.headers.get('Retry-After'))) || 60;
  await pause(1_000 * seconds);
  return get(url, resource, tries - 1);
}

async function getBytes(url: string, resource: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await get(url, resource);
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  const found = `${new URL(resource, url)} answers ${response.status}`;
  throw new Error(`${found}: there is no log, or not all of it`);
}

const getText = async (url: string, resource: string) =>
  new TextDecoder().decode(await getBytes(url, resource));

async function getEntries(url: string, size: number): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for (const path of bundlesOf(size)) {
    entries.push(...unbundle(await getBytes(url, `/log/${path}`)));
  }
  return entries;
}

/** Says how a list differs from the log; undefined if it does not. Keeps only the digest in memory. */
async function problemOf(
  url: string,
  { list, day, sha256, count }: Leaf,
): Promise<string | undefined> {
  if (!Object.hasOwn(publicLists, list)) return 'is of a kind that this release does not know';
  const { path, type } = publicLists[list as ListName];
  const response = await get(url, `${path}?as_of=${day}${type ? `&type=${type}` : ''}`);
  if (!response.ok) {
    await response.body?.cancel();
    return `is not served: ${response.status}`;
  }
  const hash = createHash('sha256');
  // Each entry is an object, and so is the whole; no name contains a brace.
  let braces = 0;
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
    for (const byte of chunk) if (byte === 0x7b) braces++;
  }
  if (hash.digest('hex') !== sha256) return 'is not what was logged';
  return braces - 1 === count ? undefined : 'has another number of entries than was logged';
}
