import { DatabaseSync } from 'node:sqlite';
import type { Rows } from '../report/progress.ts';

/**
 * Values by their keys and in the order of these. They are in a temporary file, which SQLite deletes at once, so any number
 * takes little memory, and only this process can read them.
 */
export class Spool<Value> implements Rows<Value>, Disposable {
  readonly #database = new DatabaseSync('');
  readonly #statements: Record<string, ReturnType<DatabaseSync['prepare']>> = {};

  constructor() {
    this.#database.exec(`pragma journal_mode = off; pragma cache_size = -32768;
      create table kept (key primary key, value); begin`);
  }

  #statement(sql: string) {
    this.#statements[sql] ??= this.#database.prepare(sql);
    return this.#statements[sql];
  }

  get length(): number {
    return this.count('');
  }

  /** How many have keys that begin with the prefix. */
  count(prefix: string): number {
    const sql = 'select count(*) as count from kept where key > ? and key < ?';
    return Number(this.#statement(sql).get(...range(prefix))!.count);
  }

  get(key: string | number): Value | undefined {
    const row = this.#statement('select value from kept where key = ?').get(key);
    return row && JSON.parse(String(row.value));
  }

  set(key: string | number, value: Value): void {
    this.#statement('insert or replace into kept values (?, ?)').run(key, JSON.stringify(value));
  }

  delete(key: string | number): void {
    this.#statement('delete from kept where key = ?').run(key);
  }

  *chunks(rows: number, prefix = ''): Generator<Value[]> {
    const page = this.#statement(
      'select * from kept where key > ? and key < ? order by key limit ?',
    );
    const [first, end] = range(prefix);
    for (let last = first; ; ) {
      const found = page.all(last, end, rows);
      if (found.length === 0) return;
      last = found.at(-1)!.key as string | number;
      yield found.map(({ value }) => JSON.parse(String(value)));
    }
  }

  *values(prefix = ''): Generator<Value> {
    for (const chunk of this.chunks(1_000, prefix)) yield* chunk;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Every positive number is greater than 0, and every text greater than every number. */
const range = (prefix: string): [string | number, string] => [prefix || 0, `${prefix}\u{10ffff}`];
