import { DatabaseSync } from 'node:sqlite';
import { type Form, type Kind, keyOf } from '../../move-in/kind.ts';
import type { RowChange } from '../../move-in/write.ts';
import type { Rows } from '../progress.ts';

/** A line of the report about a value or a row of the files. */
export interface Finding {
  /** The name of the file without `.csv`. */
  file: string;
  /** Null for what no line of the file says. */
  line: number | null;
  key: string | null;
  column: string | null;
  value: string | null;
  done: 'carried' | 'changed' | 'refused' | 'conflict';
  /** The reason, without values: findings with the same one are counted together. */
  why: string;
  /** The registrar of a line of a file, as it stands there; an earlier line may be another's, and have the same key. */
  registrar?: string | null;
}

export const findingColumns = [
  'file',
  'line',
  'key',
  'column',
  'value',
  'done',
  'why',
  'registrar',
] as const;

/** A row of the files, of the registry, or of both. */
interface Pair {
  key: string;
  line: number | null;
  given: Form | null;
  here: Form | null;
  /** The row of the file was refused: it says nothing of what is here. */
  isRefused: boolean;
}

/**
 * Both sides of a move, what was found in the files, and the changes that are planned. They are in a temporary file that
 * SQLite deletes at once, so that a registry of any size takes little memory.
 */
export class Staging implements Disposable {
  /** The keys, by kind, of rows that were refused because another has the same one: few, and asked for often. */
  readonly repeated = new Set<string>();
  readonly #database = new DatabaseSync('');
  readonly #statements;

  constructor() {
    this.#database.exec(`
      pragma journal_mode = off;
      pragma cache_size = -65536;
      create table given (kind text, key text, line integer, form text, primary key (kind, key)) without rowid;
      create table here (kind text, key text, form text, primary key (kind, key)) without rowid;
      create table elements (kind text, key text, list text, element text, line integer,
        primary key (kind, key, list, element)) without rowid;
      create table taken (kind text, value text, line integer, primary key (kind, value)) without rowid;
      create table expected (kind text, key text, primary key (kind, key)) without rowid;
      create table changes (id integer primary key, kind text, action text, key text, line integer, change text);
      create index changes_of_action on changes (kind, action);
      create table findings (${findingColumns.join(', ')});
      begin`);
    const say = (sql: string) => this.#database.prepare(sql);
    this.#statements = {
      give: say('insert or ignore into given values (?, ?, ?, ?)'),
      take: say('insert or ignore into taken values (?, ?, ?)'),
      find: say('insert into findings values (?, ?, ?, ?, ?, ?, ?, ?)'),
      here: say('insert or replace into here values (?, ?, ?)'),
      element: say('insert or ignore into elements values (?, ?, ?, ?, ?)'),
      elements: say(
        'select list, element, line from elements where kind = ? and key = ? order by list, element',
      ),
      expect: say('insert or ignore into expected values (?, ?)'),
      isExpected: say('select 1 from expected where kind = ? and key = ?'),
      change: say('insert into changes (kind, action, key, line, change) values (?, ?, ?, ?, ?)'),
      lineOf: say('select line from given where kind = ? and key = ?'),
    };
  }

  /** Adds a row of a file; with a null form, one that was refused. False if another has its key. */
  addGiven({ name }: Kind, key: string, line: number, form: Form | null): boolean {
    const json = form && JSON.stringify(form);
    return this.#statements.give.run(name, key, line, json).changes > 0;
  }

  /** Marks a value that no two rows share as taken; false if it is. */
  take({ name }: Kind, value: string, line: number): boolean {
    return this.#statements.take.run(name, value, line).changes > 0;
  }

  addElement(kind: Kind, key: string, list: string, element: string, line: number): void {
    this.#statements.element.run(kind.name, key, list, element, line);
  }

  elementsOf({ name }: Kind, key: string): { list: string; element: string; line: number }[] {
    return this.#statements.elements.all(name, key) as never;
  }

  /** The elements whose row is not going to be there. */
  strayElements({ name }: Kind): IterableIterator<{ key: string; element: string; line: number }> {
    return this.#database
      .prepare(
        `select key, element, line from elements where kind = ?
          and not exists (select 1 from expected where kind = elements.kind and key = elements.key) order by line`,
      )
      .iterate(name) as never;
  }

  addHere(kind: Kind, form: Form): void {
    this.#statements.here.run(kind.name, keyOf(kind, form), JSON.stringify(form));
  }

  /** The forms of the registry in the order of their keys. */
  *here({ name }: Kind): Generator<Form> {
    const rows = this.#database.prepare('select form from here where kind = ? order by key');
    for (const { form } of rows.iterate(name)) yield JSON.parse(String(form));
  }

  /** Every row of both sides, in the order of the keys. */
  *pairs({ name }: Kind): Generator<Pair> {
    const rows = this.#database.prepare(`
      select both.key, given.line, given.form as given, here.form as here, given.key is not null as is_given from (
        select key from given where kind = $kind union select key from here where kind = $kind) as both
      left join given on given.kind = $kind and given.key = both.key
      left join here on here.kind = $kind and here.key = both.key
      order by both.key`);
    for (const { key, line, given, here, is_given } of rows.iterate({ kind: name })) {
      yield {
        key: String(key),
        line: line as number | null,
        given: given === null ? null : JSON.parse(String(given)),
        here: here === null ? null : JSON.parse(String(here)),
        isRefused: is_given === 1 && given === null,
      };
    }
  }

  /** Notes that there is going to be a row with this key. */
  expect({ name }: Kind, key: string): void {
    this.#statements.expect.run(name, key);
  }

  isExpected(kind: string, key: string): boolean {
    return this.#statements.isExpected.get(kind, key) !== undefined;
  }

  plan({ name }: Kind, key: string, line: number | null, change: RowChange): void {
    this.#statements.change.run(name, change.action, key, line, JSON.stringify(change));
  }

  /** The planned changes of a kind by one action. */
  planned({ name }: Kind, action: RowChange['action']): Rows<RowChange> {
    const database = this.#database;
    const count = database.prepare(
      'select count(*) as count from changes where kind = ? and action = ?',
    );
    const page = database.prepare(
      'select id, change from changes where kind = ? and action = ? and id > ? order by id limit ?',
    );
    return {
      length: Number(count.get(name, action)!.count),
      *chunks(rows) {
        for (let last = 0; ; ) {
          const found = page.all(name, action, last, rows);
          if (found.length === 0) return;
          last = Number(found.at(-1)!.id);
          yield found.map(({ change }) => JSON.parse(String(change)) as RowChange);
        }
      },
    };
  }

  /** Makes one replacement of an addition and a removal. */
  merge({ name }: Kind, addedKey: string, removedKey: string, change: RowChange): void {
    this.#database
      .prepare('delete from changes where kind = ? and action in (?, ?) and key in (?, ?)')
      .run(name, 'add', 'remove', addedKey, removedKey);
    this.#statements.change.run(name, 'replace', addedKey, null, JSON.stringify(change));
  }

  lineOf({ name }: Kind, key: string): number | null {
    return (this.#statements.lineOf.get(name, key)?.line ?? null) as number | null;
  }

  find(finding: Finding): void {
    this.#statements.find.run(...findingColumns.map((name) => finding[name] ?? null));
  }

  /** The findings, or those with one outcome, by file and line. */
  findings(done: Finding['done'] | null = null): IterableIterator<Finding> {
    return this.#database
      .prepare(
        'select * from findings where done = ifnull(?, done) order by file, line is null, line, rowid',
      )
      .iterate(done) as never;
  }

  /** The number of lines of the kind's own file that were refused. */
  refusedLines({ name }: Kind): number {
    const [found] = this.#database
      .prepare(
        "select count(distinct line) as count from findings where file = ? and done = 'refused'",
      )
      .all(name);
    return Number(found!.count);
  }

  /** The findings by their cause, the most frequent first. */
  causes() {
    return this.#database
      .prepare(
        `select file, done, column, why, count(*) as count from findings
          group by file, done, column, why order by count desc, file, column, why`,
      )
      .all() as unknown as (Pick<Finding, 'file' | 'done' | 'column' | 'why'> & {
      count: number;
    })[];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
