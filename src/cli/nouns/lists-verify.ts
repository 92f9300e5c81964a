import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { currentTime } from '../../clock.ts';
import { dayOf, daysBefore, isDay } from '../../day.ts';
import { hex } from '../../digest.ts';
import { type ListName, publicLists } from '../../public-list/lists.ts';
import { joinBytes } from '../../text/bytes.ts';
import { bundlesOf, unbundle } from '../../transparency/tree.ts';
import {
  type Body,
  bodyProblem,
  Contradiction,
  checkEntries,
  type Leaf,
  openCheckpoint,
} from '../../transparency/verify.ts';
import { type CommonOptions, reading, usageError } from '../command.ts';
import { openRunningServer } from '../local-server.ts';
import { configPath, localDirectory } from '../project.ts';
import { report } from '../run.ts';
import { parseUrl } from '../service.ts';
import { counted } from '../text.ts';
import { domainAddress } from '../wrangler-config.ts';

const command = reading(
  'verify',
  'lists verify --url https://registry.example --key registry.example/log+c74f20a3+ARpc2Q…',
  'lists verify --since 2026-05-01',
)
  .description('Verify the signed log of the lists, and that each day is served as it was logged')
  .option(
    '--url <url>',
    'where the service answers (default: the local server; with --remote, its domain)',
    parseUrl,
  )
  .option(
    '--key <key>',
    'the verifier’s key of the log (default: the one of the last time, or the service’s own)',
  )
  .option(
    '--since <day>',
    'fetch the lists of this day and later, and what is new (default: what is new)',
    parseDay,
  )
  .option(
    '--state <file>',
    'what was seen the last time (default: in the directory of the local data)',
  )
  .addHelpText(
    'after',
    `
Reads the service as anybody can. The file of --state holds the last checkpoint, and which lists were not served as they
were logged: they are tried again each time. If the log ever contradicts the checkpoint, what it says now is written
beside it: together they are the proof. To begin again, delete the file.`,
  );

export const verifyLists = command.action((options) => report(options, () => verify(options)));

interface Given extends CommonOptions {
  url?: string;
  key?: string;
  since?: string;
  state?: string;
}

/** What was seen the last time: the key, and the checkpoint that it has signed. */
interface Seen {
  key: string;
  checkpoint: string;
  /** The numbers of the leaves whose lists were not served as they were logged. */
  left: number[];
}

async function verify({ since, ...given }: Given) {
  const url = await addressOf(given);
  const file = given.state ?? stateFile(url, given.persistTo);
  const seen: Seen | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined;
  const known = given.key ?? seen?.key;
  const key = known ?? (await getText(url, '/log/key')).split('\n')[0]!;
  const note = await getText(url, '/log/checkpoint');
  const checkpoint = await openCheckpoint(note, key);
  const before = seen && (await openCheckpoint(seen.checkpoint, seen.key));
  const entries = await getEntries(url, checkpoint.size);
  const leaves = await checkEntries(checkpoint, entries, before).catch((error: Error) => {
    if (!(error instanceof Contradiction)) throw error;
    const place = `${file}${contradiction}${checkpoint.size}-${hex(checkpoint.root.slice(0, 8))}`;
    const now = entries.map((entry) => new TextDecoder().decode(entry));
    if (!existsSync(place)) writeJson(place, { key, checkpoint: note, leaves: now });
    throw new Error(`${error.message}; what it says now is in ${place}`);
  });

  const firstNew = before?.size ?? (since ? leaves.length : 0);
  const chosen = leaves.flatMap(({ day }, at) =>
    at >= firstNew || seen?.left.includes(at) || (since && day >= since) ? at : [],
  );
  // Whatever the lists are, the next run begins here.
  writeJson(file, { key, checkpoint: note, left: chosen } satisfies Seen);
  const wrong: string[] = [];
  const notServed: string[] = [];
  const left: number[] = [];
  for (const at of chosen) {
    const leaf = leaves[at]!;
    const body = await getBody(url, leaf);
    const problem = 'status' in body ? undefined : bodyProblem(leaf, body);
    if (problem) wrong.push(problem);
    if ('status' in body)
      notServed.push(`the list ${leaf.list} of ${leaf.day} is not served: ${body.status}`);
    if (problem || 'status' in body) left.push(at);
  }
  writeJson(file, { key, checkpoint: note, left } satisfies Seen);

  const newest =
    leaves
      .map(({ day }) => day)
      .sort()
      .at(-1) ?? null;
  const held = [
    `${url}: ${counted(leaves.length, 'leaf', 'leaves')}${newest ? ` up to ${newest}` : ''} signed by ${key}${known ? '' : ' (the service’s own word; give it with --key)'}`,
    ...(before ? [`the ${before.size} seen before are among them`] : []),
    ...evidenceOf(file).map((name) => `an earlier run has found a contradiction: ${name}`),
  ].join('; ');
  const problems = [wrong, notServed].filter(({ length }) => length > 0).map(firstOf);
  if (problems.length > 0) {
    throw new Error(`${problems.join('; ')}; but the log itself is whole: ${held}`);
  }
  const weekAgo = daysBefore(dayOf(currentTime()), 7);
  if (newest && newest < weekAgo) {
    throw new Error(`nothing was appended to the log for more than a week: ${held}`);
  }
  const days = chosen.map((at) => leaves[at]!.day).sort();
  const [first = null, last = null] = [days[0], days.at(-1)];
  return {
    data: {
      ...{ url, key, key_known_before: known !== undefined, leaves: leaves.length },
      ...{ newest_day: newest, seen_before: before?.size ?? null, lists: chosen.length },
      ...{ first_day: first, last_day: last, verified: true },
    },
    text: `${held}; ${servedText(chosen.length, first, last)}`,
  };
}

const firstOf = (problems: readonly string[]): string =>
  problems.length > 1 ? `${problems[0]}, and ${problems.length - 1} more` : problems[0]!;

function servedText(lists: number, first: string | null, last: string | null): string {
  if (lists === 0) return 'no list was fetched';
  const days = first === last ? first : `${first} to ${last}`;
  return lists === 1
    ? `1 list of ${days} is served as it was logged`
    : `${lists} lists of ${days} are served as they were logged`;
}

const contradiction = '.contradiction-';

/** What earlier runs have kept because it contradicts the file. */
function evidenceOf(file: string): string[] {
  const { dir, base } = path.parse(path.resolve(file));
  const names = readdirSync(dir).filter((name) => name.startsWith(base + contradiction));
  return names.map((name) => path.join(path.dirname(file), name));
}

async function addressOf({ url, remote, env, persistTo }: Given): Promise<string> {
  const local = async () => (await openRunningServer(localDirectory(persistTo), env))?.service;
  const found = url ?? (remote ? domainAddress(configPath, env ?? 'production') : await local());
  if (found) return found;
  throw usageError(
    'no address is known: no local server runs, or wrangler.toml has no domain; give --url',
  );
}

function stateFile(url: string, persistTo: string | undefined): string {
  const host = new URL(url).host.replace(':', '-');
  return path.join(localDirectory(persistTo), `log-${host}.json`);
}

function writeJson(file: string, content: object): void {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

const maximumTries = 10;

/** The answer, after the pauses that the service's limit for an address asks for. */
async function get(url: string, place: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(new URL(place, url)).catch((error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error;
      throw new Error(`${url} cannot be reached: ${message}`);
    });
    if (response.status !== 429 || tries === maximumTries) return response;
    // It may be missing, a date or very long.
    const seconds = Math.min(60, Number(response.headers.get('Retry-After'))) || 60;
    await pause(1_000 * seconds);
  }
}

/** Far more than anything of the log, and than a list of 10,000,000 names, has. */
const [maximumBytes, maximumListBytes] = [20_000_000, 1_000_000_000];
/** More than a thousand years have. */
const maximumLeaves = 10_000_000;

async function* chunksOf({ body, url }: Response, maximum: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maximum) throw new Error(`${url} answers more than ${maximum} bytes`);
    yield chunk;
  }
}

async function getFound(url: string, place: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await get(url, place);
  if (response.ok) return joinBytes(await Array.fromAsync(chunksOf(response, maximumBytes)));
  throw new Error(
    `${new URL(place, url)} answers ${response.status}: there is no log, or not all of it`,
  );
}

const getText = async (url: string, place: string) =>
  new TextDecoder().decode(await getFound(url, place));

async function getEntries(url: string, size: number): Promise<Uint8Array[]> {
  if (size > maximumLeaves) throw new Error(`the log cannot have ${size} leaves`);
  const entries: Uint8Array[] = [];
  for (const { path, width } of bundlesOf(size)) {
    const its = unbundle(await getFound(url, `/log/${path}`));
    if (its.length !== width) throw new Error(`/log/${path} has ${its.length} leaves`);
    entries.push(...its);
  }
  return entries;
}

/** The list of the day as it is served, of which nothing is kept but what the leaf says of it. */
async function getBody(url: string, { list, day }: Leaf): Promise<Body | { status: number }> {
  const { path, type } = publicLists[list as ListName] ?? {};
  if (!path) throw new Error(`the log is about a list ${list}, which this program does not know`);
  const response = await get(url, `${path}?as_of=${day}${type ? `&type=${type}` : ''}`);
  if (!response.ok) {
    await response.body?.cancel();
    return { status: response.status };
  }
  const hash = createHash('sha256');
  // Each entry is an object, and so is the whole; a name has no brace.
  let braces = 0;
  for await (const chunk of chunksOf(response, maximumListBytes)) {
    hash.update(chunk);
    for (const byte of chunk) if (byte === 0x7b) braces++;
  }
  return { sha256: hash.digest('hex'), count: braces - 1 };
}

function parseDay(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-05-01.');
}
