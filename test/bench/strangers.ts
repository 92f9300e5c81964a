import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import { listNames } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { counted } from '../support/counted.ts';
import { nameOf, seedAuctions, seedRegistrar, seedRetainedNames } from '../support/seed.ts';
import { atMost, type Figure, stated } from './figure.ts';
import { retainedDomains } from './lists.ts';
import { median } from './load.ts';
import { builtWorker, type Runtime, service, startRuntime } from './runtime.ts';

const nameCount = Number(process.env.N ?? 1_000_000);
const auctionCount = 10_000;

/** The dearest request of each path that needs no login, and a registrar's page beside strangers who send them. */
export async function strangers(): Promise<Figure[]> {
  const runtime = await startRuntime([], [service], { environment: 'production' });
  try {
    await seedRetainedNames(runtime.env, nameCount);
    await seedAuctions(runtime.env, auctionCount);
    await seedChanges(runtime.env, nameOf(9 * 1_999).name);
    const { authorization } = await seedRegistrar(runtime.env, 1_000);
    await publish(
      { db: openDatabase(runtime.env.DB), kv: runtime.env.LISTS, clock: () => new Date() },
      listNames,
    );
    const costs = await dearest(runtime.env);
    return [...costs, ...(await besideStrangers(runtime, authorization))];
  } finally {
    await runtime.stop();
  }
}

/** The most changes of a name that are read. */
async function seedChanges({ DB }: Env, name: string): Promise<void> {
  const time = (hours: string) =>
    `strftime('%Y-%m-%dT%H:%M:%fZ', '2020-01-01', (${hours}) || ' hours')`;
  await DB.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 1999),
       kinds(subject, field, value) as (values
         ('retained_domain', 'status', 'blocked'), ('auction', 'status', 'started'), ('dispute', 'closedAt', null))
     insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
     select ${time('i')}, subject, ?, 'update', 'operator', 'Operator', json_object(field, json_object(
       'from', iif(i % 2, ifnull(value, ${time('i - 1')}), null), 'to', iif(i % 2, null, ifnull(value, ${time('i')}))))
     from n, kinds`,
  )
    .bind(name)
    .run();
  await DB.prepare(
    `insert into disputes (name, punycode, first_day, last_day, created_at)
     values (?1, ?1, '2020-01-01', '9999-12-31', '2020-01-01T00:00:00.000Z')`,
  )
    .bind(name)
    .run();
}

/** From everywhere in the list. */
const spread = Array.from({ length: 500 }, (_, n) => nameOf(n * 1_999).punycode);

const lookUp = (names: readonly string[]) => ({
  path: `${retainedDomains}/lookup`,
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ names }),
});
/** Combining marks in the order that takes `normalize` the longest: in one label, and in labels that just reach it. */
const marks = (count: number) => '\u0315'.repeat(count / 2) + '\u0300'.repeat(count / 2);
const labelOfMarks = marks(32_600);
const labelsOfMarks = Array(64).fill(marks(504)).join('.');
const gzip = { headers: { 'Accept-Encoding': 'gzip' } };
const stranger = { 'CF-Connecting-IP': '198.51.100.9' };
const tokenCall = {
  path: '/api/v1/registrant/auth/eid',
  method: 'POST',
  body: JSON.stringify({ ident: '38001085718', first_name: 'Jaan', last_name: 'Tamm' }),
};
/** In the form of a token, signed with another key. */
const forged = `${btoa('{"alg":"HS256","kid":"demo"}')}.${btoa('{}')}.${'A'.repeat(43)}`;

interface Asked {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

const open: Record<string, Asked> = {
  'Whole list, gzip': { path: retainedDomains, ...gzip },
  'Whole list, plain': { path: retainedDomains },
  'One name': { path: `${retainedDomains}/${spread[7]}` },
  '500 names': lookUp(spread),
  'A label of 64 KiB': lookUp([labelOfMarks]),
  'A name of 64 KiB': lookUp([labelsOfMarks]),
  'What a name was': { path: `${retainedDomains}/${spread[9]}/history` },
  Changes: { path: `${retainedDomains}/changes?since=${'0'.repeat(32)}` },
  'All auctions': { path: '/repp/v1/auctions', ...gzip },
  Page: { path: `/en/?name=${spread[8]}&starts=k&auctions=a&sort=length` },
  '/health': { path: '/health' },
  '/api/v1/auctions': { path: '/api/v1/auctions' },
  'Unknown path': { path: '/nothing' },
};

const tokens: Record<string, Asked> = {
  'Token call, refused': { ...tokenCall, headers: stranger },
  'Token call of the portal': { ...tokenCall, headers: { 'CF-Connecting-IP': '127.0.0.1' } },
  'Forged token': {
    path: '/api/v1/registrant/contacts',
    headers: { Authorization: `Bearer ${forged}`, ...stranger },
  },
};

const repetitions = 5;

/**
 * In an isolate that remembers nothing, and then again. CPU time is this process's, in which KV answers from memory.
 */
async function dearest(env: Env): Promise<Figure[]> {
  const built = await builtWorker();
  const LISTS = remembering(env.LISTS);
  const figures: Figure[] = [];
  for (const [what, { path, ...init }] of Object.entries({ ...open, ...tokens })) {
    const cpu: Record<string, number[]> = { cold: [], warm: [] };
    // The first round fills the memory of KV.
    for (let round = 0; round <= repetitions; round++) {
      let requests = 0;
      const bindings = {
        LISTS: { ...LISTS } as KVNamespace,
        ADDRESS_LIMITER: admitting((delta) => {
          requests += delta;
        }),
        FAILED_LOGIN_LIMITER: admitting(() => {}),
        PASSWORD_LIMITER: admitting(() => {}),
        REGISTRANT_WRITE_LIMITER: admitting(() => {}),
        SYSTEM_LIMITER: admitting(() => {}),
      };
      const isolate = counted({ ...env, ...bindings }, built);
      for (const [state, milliseconds] of Object.entries(cpu)) {
        const { rowsRead, kvReads } = isolate.counts;
        requests = 0;
        const before = process.cpuUsage();
        const url = new URL(path, 'https://registry.example');
        const context = { waitUntil() {} } as never;
        const answer = await built.fetch(new Request(url, init) as never, isolate.env, context);
        await answer.arrayBuffer();
        const { user, system } = process.cpuUsage(before);
        if (round > 0) milliseconds.push((user + system) / 1_000);
        if (answer.status >= 500) throw new Error(`${path}: ${answer.status}`);
        if (round !== repetitions) continue;
        const after = isolate.counts;
        figures.push(stated(`${what}, ${state}: D1 rows`, after.rowsRead - rowsRead, ''));
        figures.push(stated(`${what}, ${state}: KV reads`, after.kvReads - kvReads, ''));
        figures.push(stated(`${what}, ${state}: counts as`, requests, ''));
        figures.push(stated(`${what}, ${state}: CPU`, median(milliseconds), 'ms'));
      }
    }
  }
  return figures;
}

export function admitting(count: (requests: number) => void): RateLimit {
  return {
    async limit({ delta = 1 }) {
      count(delta);
      return { success: true };
    },
  };
}

/** KV, of which each value is read once. */
function remembering(kv: KVNamespace): Pick<KVNamespace, 'get' | 'getWithMetadata' | 'list'> {
  const values = new Map<string, unknown>();
  const once =
    (method: 'get' | 'getWithMetadata') =>
    async (...asked: [string, never]) => {
      const id = JSON.stringify([method, ...asked]);
      if (!values.has(id)) values.set(id, await (kv[method] as typeof kv.get)(...asked));
      return values.get(id);
    };
  return {
    get: once('get') as never,
    getWithMetadata: once('getWithMetadata') as never,
    list: kv.list.bind(kv),
  };
}

const clients = 8;
const quietMilliseconds = 10_000;
/** The window of the limits. */
const busyMilliseconds = 60_000;
const pageEveryMilliseconds = 100;

/**
 * The time of a registrar's page, alone and, for one window of the limits, beside clients with an address each, who send
 * the dearest request of each open path in turn, as fast as they are answered.
 */
async function besideStrangers(runtime: Runtime, authorization: string): Promise<Figure[]> {
  const page = {
    path: '/repp/v1/contacts?details=true',
    headers: { Authorization: authorization, 'CF-Connecting-IP': '192.0.2.1' },
  };
  const agent = new Agent({ keepAlive: true });
  const timesOfPages = async (milliseconds: number) => {
    const [times, end] = [[] as number[], performance.now() + milliseconds];
    while (performance.now() < end) {
      const startedAt = performance.now();
      const status = await send(runtime, agent, page);
      if (status !== 200) throw new Error(`the registrar's page: ${status}`);
      times.push(performance.now() - startedAt);
      await pause(pageEveryMilliseconds);
    }
    return times;
  };
  await timesOfPages(2_000);
  const quiet = median(await timesOfPages(quietMilliseconds));
  // From the beginning of a window.
  await pause(busyMilliseconds - (Date.now() % busyMilliseconds));
  let isOver = false;
  const answered = new Map<number, number>();
  const keepAsking = async (_: unknown, number: number) => {
    const own = new Agent({ keepAlive: true });
    const dear = Object.values(open);
    for (let count = number; !isOver; count++) {
      const { headers, ...one } = dear[count % dear.length]!;
      const from = { ...headers, 'CF-Connecting-IP': `198.51.100.${number + 1}` };
      const status = await send(runtime, own, { ...one, headers: from });
      answered.set(status, (answered.get(status) ?? 0) + 1);
    }
    own.destroy();
  };
  const busy = Promise.all(Array.from({ length: clients }, keepAsking));
  const times = await timesOfPages(busyMilliseconds);
  isOver = true;
  await busy;
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return [
    stated('A registrar’s page, alone', quiet, 'ms'),
    atMost('A registrar’s page beside eight strangers', median(times) / quiet, '× alone', 5),
    stated('The slowest in twenty', sorted[Math.floor(sorted.length * 0.95)]! / quiet, '× alone'),
    stated(
      'Answers to the strangers in a minute',
      sum(answered, (code) => code < 429),
      '',
    ),
    stated('Refusals to the strangers in a minute', answered.get(429) ?? 0, ''),
  ];
}

function sum(answered: Map<number, number>, isCounted: (status: number) => boolean): number {
  return [...answered].reduce((total, [status, n]) => total + (isCounted(status) ? n : 0), 0);
}

/** Sends a request, reads the answer without keeping it, and returns the status. */
function send(
  runtime: Runtime,
  agent: Agent,
  { path, method = 'GET', headers = {}, body }: Asked,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      runtime.url(service, path).href,
      { agent, method, headers },
      (response) => {
        response.on('end', () => resolve(response.statusCode!));
        response.on('error', reject);
        response.resume();
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
