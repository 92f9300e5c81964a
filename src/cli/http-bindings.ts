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

/** What a server tells the tool of itself. */
export interface ServerState {
  /** How far a sandbox's clock has been moved; 0 elsewhere. */
  clockAheadMilliseconds: number;
}

type BodyType = 'text' | 'json' | 'arrayBuffer' | 'stream';

/** D1 and KV of a running local server, in the parts of their interface that the registry uses. */
export function openOverHttp(address: string, token: string) {
  const call = (path: string, init: RequestInit) =>
    fetch(new URL(bindingsPath + path, address), {
      ...init,
      headers: { ...init.headers, [tokenHeader]: token },
    });
  const checked = async (path: string, init: RequestInit) => {
    const response = await call(path, init);
    if (response.ok) return response;
    throw new Error(await response.text());
  };
  return {
    /** Undefined if no server answers there. */
    async findState(): Promise<ServerState | undefined> {
      try {
        const response = await call('', { method: 'GET' });
        return response.ok ? await response.json() : undefined;
      } catch {
        return undefined;
      }
    },
    database: databaseOver(async (body) => {
      const response = await checked('database', { method: 'POST', body: JSON.stringify(body) });
      return response.json();
    }),
    namespace: namespaceOver(checked),
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

function namespaceOver(send: (path: string, init: RequestInit) => Promise<Response>) {
  const pathOf = (key: string) => `lists/${encodeURIComponent(key)}`;
  return {
    async list(options: KVNamespaceListOptions = {}) {
      const query = encodeURIComponent(JSON.stringify(options));
      return (await send(`lists?options=${query}`, { method: 'GET' })).json();
    },
    async getWithMetadata(key: string, type: BodyType | { type?: BodyType } = 'text') {
      const response = await send(pathOf(key), { method: 'GET' });
      if (response.status === 204) return { value: null, metadata: null };
      const metadata = JSON.parse(decodeURIComponent(response.headers.get('Metadata') ?? 'null'));
      const form = typeof type === 'string' ? type : (type.type ?? 'text');
      const value = form === 'stream' ? response.body : await response[form]();
      return { value, metadata };
    },
    async get(key: string, type?: BodyType | { type?: BodyType }) {
      return (await this.getWithMetadata(key, type)).value;
    },
    async put(
      key: string,
      body: ArrayBuffer | Uint8Array | string,
      options: { metadata?: unknown } = {},
    ) {
      const headers = { Metadata: encodeURIComponent(JSON.stringify(options.metadata ?? null)) };
      await send(pathOf(key), { method: 'PUT', headers, body: body as BodyInit });
    },
    async delete(key: string) {
      await send(pathOf(key), { method: 'DELETE' });
    },
  };
}
