import type { Answer, Call } from './lender.ts';

/**
 * The database behind the lender as a D1 binding. The runtime's own proxy of the binding takes a round trip for each
 * `prepare`, `bind` and `all`; this one takes one for a query or a batch.
 */
export function lentDatabase(fetch: (init: RequestInit) => Promise<Response>): D1Database {
  async function run(call: Call): Promise<Exclude<Answer, { error: string }>> {
    if (call.statements.some(({ params }) => params.includes(undefined))) {
      throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported");
    }
    const response = await fetch({ method: 'POST', body: JSON.stringify(call) });
    const answer = (await response.json()) as Answer;
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }

  /** A connection outside sessions, or the one of a session that begins at a constraint or a bookmark. */
  function connection(session?: string) {
    let place = session;
    const send = async (statements: Statement[], isRaw = false) => {
      const wires = statements.map(({ wire }) => wire);
      const { result, bookmark } = await run({ statements: wires, isRaw, session: place });
      if (session !== undefined && bookmark) place = bookmark;
      return result as D1Result[];
    };
    const prepare = (sql: string, params: unknown[] = []): Statement => {
      const statement: Statement = {
        wire: { sql, params },
        bind: (...values) => prepare(sql, values),
        all: async () => (await send([statement]))[0]!,
        run: async () => (await send([statement]))[0]!,
        raw: () => send([statement], true),
        async first(column) {
          const [row] = (await statement.all()).results as Record<string, unknown>[];
          return column === undefined ? (row ?? null) : (row?.[column] ?? null);
        },
      };
      return statement;
    };
    return {
      prepare: (sql: string) => prepare(sql),
      batch: (statements: Statement[]) => send(statements),
      getBookmark: () => (place?.startsWith('first-') ? null : place),
    };
  }
  const { prepare, batch } = connection();
  return {
    prepare,
    batch,
    exec: (sql: string) => batch([prepare(sql)]),
    withSession: (constraint = 'first-unconstrained') => connection(constraint),
  } as unknown as D1Database;
}

interface Statement {
  wire: Call['statements'][number];
  bind(...values: unknown[]): Statement;
  all(): Promise<D1Result>;
  run(): Promise<D1Result>;
  raw(): Promise<unknown>;
  first(column?: string): Promise<unknown>;
}
