import { DatabaseSync } from 'node:sqlite';
import type { Rows } from '../report/progress.ts';

/**
 * The rows of a file by their lines, and the keys that they use. They are in a temporary file that SQLite deletes at
 * once and that only this process can read, so that a file of any size takes little memory.
 */
export class Spool<Row extends { line: number }> implements Rows<Row> {
  length = 0;
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor() {
    const database = new DatabaseSync('');
    database.exec(`
      pragma journal_mode = off;
      create table kept (line integer primary key, json text not null);
      create table used (key text primary key, line integer not null) without rowid;
      begin`);
    this.#database = database;
    this.#statements = {
      add: database.prepare('insert into kept values (?, ?)'),
      remove: database.prepare('delete from kept where line = ?'),
      read: database.prepare('select line, json from kept where line > ? order by line limit ?'),
      use: database.prepare('insert into used values (?, ?)'),
      find: database.prepare('select line from used where key = ?'),
    };
  }

  /** The line of the row that uses the key. */
  lineOf(key: string): number | undefined {
    return this.#statements.find.get(key)?.line as number | undefined;
  }

  add(row: Row, keys: readonly string[]): void {
    this.#statements.add.run(row.line, JSON.stringify(row));
    for (const key of new Set(keys)) this.#statements.use.run(key, row.line);
    this.length += 1;
  }

  /** Removes a row; its keys stay in use. */
  remove({ line }: Row): void {
    this.#statements.remove.run(line);
    this.length -= 1;
  }

  *chunks(rows: number): Generator<Row[]> {
    for (let last = 0; ; ) {
      const found = this.#statements.read.all(last, rows);
      if (found.length === 0) return;
      last = Number(found.at(-1)!.line);
      yield found.map(({ json }) => JSON.parse(String(json)) as Row);
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
