/** The path below which a local server lends its bindings to the tool, and the header with the token that opens them. */
export const bindingsPath = '/.registry/';
export const tokenHeader = 'Registry-Tool-Token';

/** A statement on its way to the server. */
export interface WireStatement {
  sql: string;
  params: unknown[];
}

export interface DatabaseCall {
  statements: WireStatement[];
  /** Rows as arrays, of one statement; otherwise the result of each statement, all in one batch. */
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

/** The milliseconds by which the clock of the server at this address was moved; undefined if none answers there. */
export async function findClockAhead(address: string, token: string): Promise<number | undefined> {
  try {
    const response = await caller(address, token)('', { method: 'GET' });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** D1 and KV of a running local server, in the parts of their interface that the registry uses. */
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
  };
}

/** The parts of D1's interface that the registry uses, over calls of any kind. */
export function databaseOver(send: (call: DatabaseCall) => Promise<unknown>) {
  const statement = (sql: string, params: unknown[]) => {
    const wire: WireStatement = { sql, params };
    const run = async () => ((await send({ statements: [wire], isRaw: false })) as [D1Result])[0];
    return {
      wire,
      bind: (...values: unknown[]) => statement(sql, values),
      all: run,
      run,
      raw: () => send({ statements: [wire], isRaw: true }),
      first: async () => (await run()).results[0] ?? null,
    };
  };
  type Statement = ReturnType<typeof statement>;
  return {
    prepare: (sql: string) => statement(sql, []),
    batch: (statements: Statement[]) =>
      send({ statements: statements.map(({ wire }) => wire), isRaw: false }),
  };
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
    async delete(key: string) {
      await send(pathOf(key), { method: 'DELETE' });
    },
  };
}
