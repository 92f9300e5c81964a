/** The path and the token's header with which a local server lends its bindings to the tool. */
export const bindingsPath = '/.registry/';
export const tokenHeader = 'Registry-Tool-Token';

/** The header that marks requests through the front of `npm start`. */
export const frontHeader = 'registry-front-token';

export interface DatabaseCall {
  statements: { sql: string; params: unknown[] }[];
  /** Returns the rows of the only statement as arrays. Otherwise each statement's result, from one batch. */
  isRaw: boolean;
}

export async function runStatements(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  { statements, isRaw }: DatabaseCall,
): Promise<unknown> {
  const prepared = statements.map(({ sql, params }) => db.prepare(sql).bind(...params));
  return isRaw ? prepared[0]!.raw() : db.batch(prepared);
}

async function ask(address: string, token: string, path: string, init?: RequestInit) {
  const headers = { [tokenHeader]: token };
  return fetch(new URL(bindingsPath + path, address), { ...init, headers });
}

/** In milliseconds. Undefined if no server answers in time. */
export async function findClockAhead(address: string, token: string, waitMilliseconds = 2_000) {
  try {
    const signal = AbortSignal.timeout(waitMilliseconds);
    const response = await ask(address, token, '', { signal });
    const answer: unknown = response.ok && (await response.json());
    return typeof answer === 'number' ? answer : undefined;
  } catch {
    return undefined;
  }
}

export function openOverHttp(address: string, token: string) {
  const send = async (path: string, body?: BodyInit) => {
    const response = await ask(address, token, path, { method: 'POST', body });
    if (response.ok) return response;
    throw new Error(await response.text());
  };
  /** A body replaces the second argument. */
  const call = (binding: string, method: string, args: unknown[], body?: BodyInit) =>
    send(`${binding}/${method}?args=${encodeURIComponent(JSON.stringify(args))}`, body);
  return {
    DB: databaseOver(async (body) => (await send('database', JSON.stringify(body))).json()),
    LISTS: {
      list: async (options: KVNamespaceListOptions = {}) =>
        (await call('LISTS', 'list', [options])).json(),
      async get(key: string, type: ValueType | { type: ValueType }) {
        const response = await call('LISTS', 'get', [key, 'stream']);
        if (response.status === 204) return null;
        return response[typeof type === 'string' ? type : type.type]();
      },
      async put(key: string, body: BodyInit, options: KVNamespacePutOptions = {}) {
        await call('LISTS', 'put', [key, null, options], body);
      },
    },
    ARCHIVE: {
      list: async (options: R2ListOptions) => (await call('ARCHIVE', 'list', [options])).json(),
      async put(key: string, body: string) {
        await call('ARCHIVE', 'put', [key], body);
      },
    },
  };
}

type ValueType = 'text' | 'arrayBuffer';

interface Statement extends D1PreparedStatement {
  wire: DatabaseCall['statements'][number];
}

/** The part of a D1 binding that the tool uses, over any kind of call. */
export function databaseOver(send: (call: DatabaseCall) => Promise<unknown>): D1Database {
  const run = async (statements: Pick<Statement, 'wire'>[], isRaw = false) => {
    const wires = statements.map(({ wire }) => wire);
    if (wires.some(({ params }) => params.includes(undefined))) {
      throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported");
    }
    return (await send({ statements: wires, isRaw })) as D1Result[];
  };
  const prepare = (sql: string, params: unknown[] = []): Statement => {
    const wire = { sql, params };
    const all = async () => (await run([{ wire }]))[0]!;
    const first = async (column?: string) => {
      const [row] = (await all()).results as Record<string, unknown>[];
      return (column === undefined ? row : row?.[column]) ?? null;
    };
    const bind = (...values: unknown[]) => prepare(sql, values);
    const raw = () => run([{ wire }], true);
    return { wire, bind, all, run: all, raw, first } as unknown as Statement;
  };
  return {
    prepare: (sql: string) => prepare(sql),
    batch: (statements: Statement[]) => run(statements),
  } as unknown as D1Database;
}
