/** The path below which a local server lends its bindings to the tool, and the header of the token for them. */
export const bindingsPath = '/.registry/';
export const tokenHeader = 'Registry-Tool-Token';

/** The header by which a local server knows a request that came through the front of `npm start`. */
export const frontHeader = 'registry-front-token';

/** Statements on their way to a database. */
export interface DatabaseCall {
  statements: { sql: string; params: unknown[] }[];
  /** Whether to answer the rows of the only statement as arrays; otherwise each statement's result, from one batch. */
  isRaw: boolean;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

const caller =
  (address: string, token: string): Send =>
  (path, init) =>
    fetch(new URL(bindingsPath + path, address), {
      ...init,
      headers: { ...init.headers, [tokenHeader]: token },
    });

/** How far the clock of the server at this address was moved, in milliseconds; undefined if no server answers in time. */
export async function findClockAhead(
  address: string,
  token: string,
  waitMilliseconds = 2_000,
): Promise<number | undefined> {
  try {
    const init = { method: 'GET', signal: AbortSignal.timeout(waitMilliseconds) };
    const response = await caller(address, token)('', init);
    const answer: unknown = response.ok ? await response.json() : undefined;
    return typeof answer === 'number' ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The bindings of a running local server, as far as the tool uses them. */
export function openOverHttp(address: string, token: string) {
  const call = caller(address, token);
  const send: Send = async (path, init) => {
    const response = await call(path, init);
    if (response.ok) return response;
    throw new Error(await response.text());
  };
  return {
    DB: databaseOver(async (body) => {
      const response = await send('database', { method: 'POST', body: JSON.stringify(body) });
      return response.json();
    }),
    LISTS: namespaceOver(send),
    ARCHIVE: {
      async list(options: R2ListOptions) {
        const path = `archive?options=${encodeURIComponent(JSON.stringify(options))}`;
        return (await send(path, { method: 'GET' })).json();
      },
      async put(key: string, body: string) {
        await send(`archive/${encodeURIComponent(key)}`, { method: 'PUT', body });
      },
    },
  };
}

interface Statement {
  wire: DatabaseCall['statements'][number];
  bind(...values: unknown[]): Statement;
  all(): Promise<D1Result>;
  run(): Promise<D1Result>;
  raw(): Promise<unknown>;
  first(column?: string): Promise<unknown>;
}

/** A D1 binding over calls of any kind, as far as the tool uses it. */
export function databaseOver(send: (call: DatabaseCall) => Promise<unknown>): D1Database {
  const run = async (statements: Statement[], isRaw = false) => {
    const wires = statements.map(({ wire }) => wire);
    if (wires.some(({ params }) => params.includes(undefined))) {
      throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported");
    }
    return (await send({ statements: wires, isRaw })) as D1Result[];
  };
  const prepare = (sql: string, params: unknown[] = []): Statement => {
    const statement: Statement = {
      wire: { sql, params },
      bind: (...values) => prepare(sql, values),
      all: async () => (await run([statement]))[0]!,
      run: () => statement.all(),
      raw: () => run([statement], true),
      async first(column) {
        const [row] = (await statement.all()).results as Record<string, unknown>[];
        return (column === undefined ? row : row?.[column]) ?? null;
      },
    };
    return statement;
  };
  return {
    prepare: (sql: string) => prepare(sql),
    batch: (statements: Statement[]) => run(statements),
  } as unknown as D1Database;
}

type ValueType = 'text' | 'arrayBuffer';

function namespaceOver(send: Send) {
  const pathOf = (key: string, options: object = {}) =>
    `lists/${encodeURIComponent(key)}?options=${encodeURIComponent(JSON.stringify(options))}`;
  return {
    async list(options?: KVNamespaceListOptions) {
      return (await send(pathOf('', options), { method: 'GET' })).json();
    },
    async get(key: string, type: ValueType | { type: ValueType }) {
      const response = await send(pathOf(key), { method: 'GET' });
      if (response.status === 204) return null;
      return response[typeof type === 'string' ? type : type.type]();
    },
    async put(
      key: string,
      body: Uint8Array<ArrayBuffer> | string,
      options?: KVNamespacePutOptions,
    ) {
      await send(pathOf(key, options), { method: 'PUT', body });
    },
  };
}
