import { DatabaseSync } from 'node:sqlite';
import type { Rows } from '../report/progress.ts';

/** A database in a temporary file that SQLite deletes at once and that only this process can read. */
export function openTemporary(tables: string): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec(`pragma journal_mode = off; pragma cache_size = -32768; ${tables}; begin`);
  return database;
}

/** Values by their keys and in the order of these. They are in a temporary file, so any number takes little memory. */
export class Spool<Value> implements Rows<Value>, Disposable {
  readonly #database = openTemporary('create table kept (key primary key, value)');
  readonly #statements = {
    count: this.#database.prepare('select count(*) as count from kept'),
    get: this.#database.prepare('select value from kept where key = ?'),
    set: this.#database.prepare('insert or replace into kept values (?, ?)'),
    delete: this.#database.prepare('delete from kept where key = ?'),
    page: this.#database.prepare('select * from kept where key > ? order by key limit ?'),
  };

  get length(): number {
    return Number(this.#statements.count.get()!.count);
  }

  get(key: string | number): Value | undefined {
    const row = this.#statements.get.get(key);
    return row && JSON.parse(String(row.value));
  }

  set(key: string | number, value: Value): void {
    this.#statements.set.run(key, JSON.stringify(value));
  }

  delete(key: string | number): void {
    this.#statements.delete.run(key);
  }

  *chunks(rows: number): Generator<Value[]> {
    // Every positive number and every text is greater than the first.
    for (let last: string | number = 0; ; ) {
      const found = this.#statements.page.all(last, rows);
      if (found.length === 0) return;
      last = found.at(-1)!.key as string | number;
      yield found.map(({ value }) => JSON.parse(String(value)));
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
