import type { Env } from '../../src/base/env.ts';

interface Statement {
  sql: string;
  params: unknown[];
}

/** One round trip to D1: its statements, and the rows that each answered with. */
export interface Call {
  round: number;
  statements: Statement[];
  /** Whether the rows of the only statement were asked for as arrays. */
  isRaw: boolean;
  rows: unknown[];
}

/** Everything that the Worker of a release said to D1. */
export interface Recording {
  release: string;
  /** Those that made its tables. */
  migrations: string[];
  calls: Call[];
}

/** The recording as text: a line with the release and every SQL statement once, and a line for each call. */
export function recordingText({ release, migrations, calls }: Recording): string {
  const sql = [...new Set(calls.flatMap(({ statements }) => statements.map(({ sql }) => sql)))];
  const lines = calls.map(({ statements, ...call }) => ({
    statements: statements.map((each) => [sql.indexOf(each.sql), each.params]),
    ...call,
  }));
  return [{ release, migrations, sql }, ...lines]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

export function readRecording(text: string): Recording {
  const [{ sql, ...about }, ...calls] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    ...about,
    calls: calls.map((call) => ({
      ...call,
      statements: call.statements.map(([index, params]: [number, unknown[]]) => ({
        sql: sql[index],
        params,
      })),
    })),
  };
}

type Note = (call: Omit<Call, 'round'>) => void;

const ofStatement = new WeakMap<object, Statement & { original: D1PreparedStatement }>();

/** The bindings, with D1 noting every round trip. */
export function recorded(env: Env, note: Note): Env {
  const withSession = (constraint?: string) => {
    const session = env.DB.withSession(constraint);
    return { ...connection(session, note), getBookmark: () => session.getBookmark() };
  };
  return { ...env, DB: { ...connection(env.DB, note), withSession } as unknown as D1Database };
}

function connection(db: Pick<D1Database, 'prepare' | 'batch'>, note: Note) {
  return {
    prepare: (sql: string) => statement(db.prepare(sql), { sql, params: [] }, note),
    async batch(statements: D1PreparedStatement[]) {
      const parts = statements.map((each) => ofStatement.get(each)!);
      const results = await db.batch(parts.map(({ original }) => original));
      const rows = results.map(({ results }) => results);
      note({ statements: parts.map(({ sql, params }) => ({ sql, params })), isRaw: false, rows });
      return results;
    },
  };
}

function statement(original: D1PreparedStatement, said: Statement, note: Note) {
  const all = async () => {
    const result = await original.all();
    note({ statements: [said], isRaw: false, rows: [result.results] });
    return result;
  };
  const wrapped = {
    bind: (...params: unknown[]) =>
      statement(original.bind(...params), { sql: said.sql, params }, note),
    all,
    run: all,
    async raw() {
      const rows = await original.raw();
      note({ statements: [said], isRaw: true, rows: [rows] });
      return rows;
    },
  } as unknown as D1PreparedStatement;
  ofStatement.set(wrapped, { ...said, original });
  return wrapped;
}
