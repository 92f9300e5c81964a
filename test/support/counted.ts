import type { Env } from '../../src/base/env.ts';
import type sourceWorker from '../../src/index.ts';
import { withMethods } from '../list/published.ts';

/** The cost of a call, in the units that the platform bills. */
export interface Counts {
  d1RoundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  kvReads: number;
  kvWrites: number;
  kvLists: number;
  r2Reads: number;
  r2Lists: number;
}

type Worker = Pick<typeof sourceWorker, 'fetch'>;

export interface Counted {
  env: Env;
  counts: Counts;
  /** How many statements the round trips to D1 had, and how many of these nobody has an answer to yet. */
  sent: { statements: number; unanswered: number };
  /** The Worker as it was built, for Node, which cannot load the source of the site; without it, the source. */
  built?: Worker;
}

/** The bindings, with D1, KV and R2 counting what is asked of them. */
export function counted(env: Env, built?: Worker): Counted {
  const counts: Counts = {
    d1RoundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    kvReads: 0,
    kvWrites: 0,
    kvLists: 0,
    r2Reads: 0,
    r2Lists: 0,
  };
  const sent = { statements: 0, unanswered: 0 };
  return {
    env: {
      ...env,
      DB: countedDatabase(env.DB, counts, sent),
      LISTS: countedNamespace(env.LISTS, counts),
      ...(env.ARCHIVE && { ARCHIVE: countedBucket(env.ARCHIVE, counts) }),
    },
    counts,
    sent,
    ...(built && { built }),
  };
}

export interface Cost {
  status: number;
  /** Of what the answer waited for. */
  answer: Partial<Counts>;
  /** Of what was left for later, whoever waits for it. */
  after: Partial<Counts>;
}

/** The cost of a request to the service, called with counting bindings. */
export async function cost(
  { env, counts, sent, built }: Counted,
  path: string,
  init: RequestInit = {},
): Promise<Cost> {
  const headers = { 'CF-Connecting-IP': '127.0.0.1', ...(init.headers as object) };
  const request = new Request(new URL(path, 'http://localhost'), { ...init, headers });
  // Node's own requests have none.
  if ('cf' in init) Object.defineProperty(request, 'cf', { value: init.cf });
  const later: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => later.push(work) };
  const worker = built ?? (await import('../../src/index.ts')).default;
  const start = { ...counts };
  const response = await worker.fetch(
    request as Request<unknown, IncomingRequestCfProperties>,
    env,
    context as unknown as ExecutionContext,
  );
  // An answer may be read while it is sent.
  await response.arrayBuffer();
  // The answer has not waited for what was sent meanwhile and is on its way.
  const answered = { ...counts, d1RoundTrips: counts.d1RoundTrips - sent.unanswered };
  await Promise.all(later);
  return {
    status: response.status,
    answer: grown(start, answered),
    after: grown(answered, counts),
  };
}

/** The counts that grew, by how much. */
function grown(before: Counts, after: Counts): Partial<Counts> {
  const units = Object.keys(after) as (keyof Counts)[];
  const entries = units.map((unit) => [unit, after[unit] - before[unit]] as const);
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}

/** D1's own statement behind a counting one. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

function countedDatabase(db: D1Database, counts: Counts, sent: Counted['sent']): D1Database {
  return {
    ...countedConnection(db, counts, sent),
    withSession(constraint) {
      const session = db.withSession(constraint);
      return {
        ...countedConnection(session, counts, sent),
        getBookmark: () => session.getBookmark(),
      } as D1DatabaseSession;
    },
  } as D1Database;
}

function countedConnection(
  connection: Pick<D1Database, 'prepare' | 'batch'>,
  counts: Counts,
  sent: Counted['sent'],
) {
  const count: Count = async (statements, send) => {
    counts.d1RoundTrips += 1;
    sent.statements += statements;
    sent.unanswered += 1;
    const results = await send().finally(() => {
      sent.unanswered -= 1;
    });
    for (const { meta } of results) {
      counts.rowsRead += meta.rows_read;
      counts.rowsWritten += meta.rows_written;
    }
    return results;
  };
  return {
    prepare: (query: string) => countedStatement(connection.prepare(query), query, count),
    batch: (statements: D1PreparedStatement[]) =>
      count(statements.length, () =>
        connection.batch(statements.map((statement) => originals.get(statement)!)),
      ),
  };
}

type Count = <Result extends D1Result<unknown>>(
  statements: number,
  send: () => Promise<Result[]>,
) => Promise<Result[]>;

function countedStatement(
  statement: D1PreparedStatement,
  query: string,
  count: Count,
): D1PreparedStatement {
  const all = async () => (await count(1, async () => [await statement.all()]))[0]!;
  const wrapped = {
    bind: (...values: unknown[]) => countedStatement(statement.bind(...values), query, count),
    all,
    run: all,
    first: async (column?: string) => {
      const [row] = (await all()).results as Record<string, unknown>[];
      return row === undefined ? null : column === undefined ? row : row[column];
    },
    // D1 gives no counts with raw rows: what only reads is asked twice, and counted once.
    raw: async () => {
      const { results } = await all();
      const isRead = /^\s*select\b/i.test(query);
      return isRead ? statement.raw() : results.map((row) => Object.values(row as object));
    },
  } as unknown as D1PreparedStatement;
  originals.set(wrapped, statement);
  return wrapped;
}

function countedNamespace(kv: KVNamespace, counts: Counts): KVNamespace {
  const count =
    (unit: 'kvReads' | 'kvWrites' | 'kvLists', method: keyof KVNamespace) =>
    (...values: unknown[]) => {
      counts[unit] += 1;
      return (kv[method] as (...values: unknown[]) => unknown).apply(kv, values);
    };
  return {
    get: count('kvReads', 'get'),
    getWithMetadata: count('kvReads', 'getWithMetadata'),
    put: count('kvWrites', 'put'),
    delete: count('kvWrites', 'delete'),
    list: count('kvLists', 'list'),
  } as unknown as KVNamespace;
}

function countedBucket(bucket: R2Bucket, counts: Counts): R2Bucket {
  const get = (key: string) => {
    counts.r2Reads += 1;
    return bucket.get(key);
  };
  const list = (options: R2ListOptions) => {
    counts.r2Lists += 1;
    return bucket.list(options);
  };
  return withMethods(bucket, { get, list });
}
