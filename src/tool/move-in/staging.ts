import { openTemporary } from '../files/spool.ts';
import type { Rows } from '../report/progress.ts';
import { type Form, type Kind, keyOf } from './kinds/kind.ts';

const tables = `
  create table rows (kind, key, owner, form, text, is_repeated, is_over, stored, primary key (kind, key));
  create index owned on rows (kind, owner, key) where owner is not null;
  create table taken (value primary key) without rowid`;

/** What was read from files, in a temporary database, so that any number of rows takes little memory. */
export class Staging implements Disposable {
  readonly #database = openTemporary(tables);
  readonly #find = this.#database.prepare(
    'select text, is_repeated, form is not null as is_good from rows where kind = ? and key = ?',
  );
  readonly #set = this.#database.prepare(`insert into rows values (?, ?, ?, ?, ?, false, ?, null)
    on conflict do update set is_repeated = true, form = ifnull(excluded.form, form),
      owner = ifnull(excluded.owner, owner), text = iif(excluded.form is null, text, excluded.text)`);
  readonly #owned = this.#database.prepare(
    'select form from rows where kind = ? and owner = ? order by key',
  );
  readonly #store = this.#database.prepare(`insert into rows (kind, key, stored) values (?, ?, ?)
    on conflict do update set stored = excluded.stored`);
  readonly #take = this.#database.prepare('insert into taken values (?)');
  readonly #taken = this.#database.prepare('select 1 from taken where value = ?');

  /** What the files say of a row: its key as its line writes it, and whether it moves in. */
  find(kind: string, key: string) {
    const row = this.#find.get(kind, key);
    return row && { text: row.text, isRepeated: !!row.is_repeated, isGood: !!row.is_good };
  }

  /** Sets the values that a file gives, null for a refused row. A good line replaces one that was refused. */
  set(kind: Kind, key: string, form: Form | null, text: string | null, isOver = false): void {
    const owner = kind.part && form ? form[kind.key[0]!]! : null;
    this.#set.run(kind.name, key, owner, form && JSON.stringify(form), text, Number(isOver));
  }

  /** Takes a value that no two rows share. */
  take(value: string): void {
    this.#take.run(value);
  }

  isTaken(value: string): boolean {
    return this.#taken.get(value) !== undefined;
  }

  /** The rows of a part that belong to a row of another kind, in the order of their keys. */
  owned({ name }: Kind, owner: string): Form[] {
    return this.#owned.all(name, owner).map(({ form }) => JSON.parse(String(form)));
  }

  /** The rows of a kind that are not refused; those that get an id here come last. */
  forms({ name }: Kind): Rows<Form> {
    const of = 'from rows where kind = ? and form is not null';
    const count = this.#database.prepare(`select count(*) as count ${of}`).get(name)!.count;
    const rows = this.#database.prepare(`select form ${of} order by form ->> 'id' is null, key`);
    return {
      length: Number(count),
      *chunks(size) {
        let chunk: Form[] = [];
        for (const { form } of rows.iterate(name)) {
          if (chunk.push(JSON.parse(String(form))) < size) continue;
          yield chunk;
          chunk = [];
        }
        if (chunk.length > 0) yield chunk;
      },
    };
  }

  /** Adds a row as a database holds it, to compare it. */
  addStored(kind: Kind, form: Form): void {
    this.#store.run(kind.name, keyOf(kind, form), JSON.stringify(form));
  }

  /** Both sides of each row of a kind, in the order of their keys, but rows that are over in the files. */
  *pairs({ name }: Kind) {
    const sql =
      'select key, form, stored from rows where kind = ? and is_over is not true order by key';
    for (const { key, form, stored } of this.#database.prepare(sql).iterate(name)) {
      yield {
        key: String(key),
        given: JSON.parse(String(form)) as Form | null,
        stored: JSON.parse(String(stored)) as Form | null,
      };
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
