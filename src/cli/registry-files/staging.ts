import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { type Form, type Kind, keyOf, type Part } from '../../move-in/kind.ts';
import type { RowChange } from '../../move-in/write.ts';
import type { Rows } from '../report/progress.ts';

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

/** A line of the report about a value or a row of the files. */
export interface Finding {
  /** The name of the file without `.csv`. */
  file: string;
  /** Null for what no line of the file says. */
  line: number | null;
  key: string | null;
  column: string | null;
  /** Of a conflict, what `differingValues` returns, or the row that refers to one that was to go. */
  value: string | null;
  done: 'carried' | 'changed' | 'refused' | 'conflict';
  /** The reason, without values: findings with the same one are counted together. */
  why: string;
  /** The registrar that gets the row; of a row that is refused before that is known, the one that its line names. */
  registrar?: string | null;
}

type Action = RowChange['action'];

/** A row that is in the files, in the registry, or in both. */
export interface Pair {
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
  readonly #database = new DatabaseSync('');
  readonly #statements = new Map<string, StatementSync>();

  constructor() {
    // Garbage is collected sooner: half the memory, for a third more time of the processor (Node 24). V8 promises nothing
    // of flags that are set while it runs. This one was judged safe: it only sizes the heap, and the tool may ignore it.
    setFlagsFromString('--optimize-for-size');
    this.#database.exec(`
      pragma journal_mode = off;
      pragma cache_size = -16384;
      create table given (kind, key, line, text, form, primary key (kind, key)) without rowid;
      create table here (kind, key, form, primary key (kind, key)) without rowid;
      create table elements (kind, key, list, element, line, primary key (kind, key, list, element)) without rowid;
      create table taken (kind, value, key, primary key (kind, value)) without rowid;
      create table expected (kind, key, primary key (kind, key)) without rowid;
      create table changes (kind, action, rank, key, change, primary key (kind, action, rank, key)) without rowid;
      create table findings (${findingColumns.join(', ')});
      begin`);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: SQLInputValue[]): boolean {
    return this.#prepare(sql).run(...values).changes > 0;
  }

  #get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** Prepares its own statement, so that the same query may run twice at once. */
  #each<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#database.prepare(sql).iterate(...values) as Iterable<Row>;
  }

  /** Adds a row of a file, whose key is written there as `text`. A row that was refused has no form; a good one replaces it. */
  addGiven({ name }: Kind, key: string, line: number, text: string, form: Form | null): void {
    const row = [name, key, line, text, form && JSON.stringify(form)];
    if (this.#run('insert or ignore into given values (?, ?, ?, ?, ?)', ...row)) return;
    this.take(name, `several ${key}`, key);
    if (form) this.#run('insert or replace into given values (?, ?, ?, ?, ?)', ...row);
  }

  /** The line and the form of a row that was not refused. */
  given({ name }: Pick<Kind, 'name'>, key: string): { line: number; form: Form } | undefined {
    const sql = 'select line, form from given where kind = ? and key = ? and form is not null';
    const row = this.#get<{ line: number; form: string }>(sql, name, key);
    return row && { line: row.line, form: JSON.parse(row.form) };
  }

  /** Whether a row of the file has the key, even one that was refused. */
  isInFile(kind: string, key: string): boolean {
    return this.#get('select 1 from given where kind = ? and key = ?', kind, key) !== undefined;
  }

  /** Whether the key, as a file has it, is that of a row that was refused because another has the same in upper case. */
  isRefusedText(kind: string, key: string, text: string | null): boolean {
    if (this.taker(kind, `several ${key}`) === undefined) return false;
    const sql = 'select text from given where kind = ? and key = ?';
    return this.#get<{ text: string }>(sql, kind, key)!.text !== text;
  }

  /** Marks a value that only one row may have, and returns the key of the row that had it first. */
  take(kind: string, value: string, key: string): string {
    this.#run('insert or ignore into taken values (?, ?, ?)', kind, value, key);
    return this.taker(kind, value)!;
  }

  taker(kind: string, value: string): string | undefined {
    const sql = 'select key from taken where kind = ? and value = ?';
    return this.#get<{ key: string }>(sql, kind, value)?.key;
  }

  /** Adds an element to a list of a row; false if it has it. */
  addElement(kind: Kind, key: string, list: string, element: string, line: number): boolean {
    const sql = 'insert or ignore into elements values (?, ?, ?, ?, ?)';
    return this.#run(sql, kind.name, key, list, element, line);
  }

  /** The elements of a row's list in their order. */
  elementsOf({ name }: Kind, key: string, list: string): string[] {
    const sql =
      'select element from elements where kind = ? and key = ? and list = ? order by element';
    const elements = this.#prepare(sql).all(name, key, list) as { element: string }[];
    return elements.map(({ element }) => element);
  }

  /** Notes that a row needs another one, which is a conflict. */
  holdBack({ name }: Kind, key: string): void {
    this.take(name, `held back ${key}`, key);
  }

  isHeldBack({ name }: Kind, key: string): boolean {
    return this.taker(name, `held back ${key}`) !== undefined;
  }

  /** The elements of rows that will not be there. */
  strayElements({ name }: Kind): Iterable<{ key: string; line: number }> {
    const sql = `select key, line from elements where kind = ?
      and not exists (select 1 from expected where kind = elements.kind and key = elements.key) order by line`;
    return this.#each(sql, name);
  }

  addHere(kind: Kind, form: Form): void {
    const sql = 'insert or replace into here values (?, ?, ?)';
    this.#run(sql, kind.name, keyOf(kind, form), JSON.stringify(form));
  }

  /** Every row of both sides, in the order of the keys. */
  *pairs({ name }: Kind): Generator<Pair> {
    const rows = this.#each<Record<'given' | 'here', string | null> & Omit<Pair, 'isRefused'>>(
      `select both.key, line, given.form as given, here.form as here
      from (select kind, key from given where kind = ? union select kind, key from here where kind = ?) as both
      left join given using (kind, key) left join here using (kind, key) order by both.key`,
      name,
      name,
    );
    for (const { key, line, given, here } of rows) {
      const isRefused = line !== null && given === null;
      yield { key, line, given: parsed(given), here: parsed(here), isRefused };
    }
  }

  /** Notes that there will be a row with this key. */
  expect({ name }: Kind, key: string): void {
    this.#run('insert or ignore into expected values (?, ?)', name, key);
  }

  /** Notes that every row that is here stays. */
  expectHere({ name }: Kind): void {
    this.#run('insert or ignore into expected select kind, key from here where kind = ?', name);
  }

  isExpected(kind: string, key: string): boolean {
    return this.#get('select 1 from expected where kind = ? and key = ?', kind, key) !== undefined;
  }

  plan(kind: Kind, key: string, change: RowChange): void {
    // Rows that get an id here go after all that bring one.
    const rank = change.to?.id === null ? 1 : 0;
    const row = [kind.name, change.action, rank, key, JSON.stringify(change)];
    this.#run('insert into changes values (?, ?, ?, ?, ?)', ...row);
    if (change.to) this.expect(kind, key);
  }

  /** Takes a change out of the plan: if the row is here, it stays. */
  unplan({ name }: Kind, action: Action, key: string): void {
    const ofRow = 'kind = ? and action = ? and rank in (0, 1) and key = ?';
    this.#run(`delete from changes where ${ofRow}`, name, action, key);
    this.#run(
      `delete from expected where kind = ? and key = ?
        and not exists (select 1 from here where kind = expected.kind and key = expected.key)`,
      name,
      key,
    );
  }

  /** The planned changes of a kind by one action. */
  planned({ name }: Kind, action: Action): Rows<RowChange> {
    const count = 'select count(*) as count from changes where kind = ? and action = ?';
    const page = this.#prepare(
      `select rank, key, change from changes where kind = ? and action = ? and (rank, key) > (?, ?)
        order by rank, key limit ?`,
    );
    return {
      length: this.#get<{ count: number }>(count, name, action)!.count,
      *chunks(rows) {
        let last = { rank: 0, key: '' };
        while (true) {
          const found = page.all(name, action, last.rank, last.key, rows);
          if (found.length === 0) return;
          last = found.at(-1) as typeof last;
          yield found.map(({ change }) => JSON.parse(String(change)) as RowChange);
        }
      },
    };
  }

  *changes(kind: Kind, action: Action): Generator<RowChange> {
    for (const chunk of this.planned(kind, action).chunks(1_000)) yield* chunk;
  }

  /** The elements here of the kind's part, and those that planned updates take away. */
  elementCounts({ name }: Kind, { fills }: Part): { removed: number; total: number } {
    const lists = JSON.stringify(fills);
    const inList = (form: string) => `json_each(${form} ->> list.value)`;
    return this.#get(
      `select
        (select count(*) from here, json_each(?) as list, ${inList('form')} where kind = ?) as total,
        (select count(*) from changes, json_each(?) as list, ${inList("change -> 'from'")} as element
          where kind = ? and action = 'update'
            and element.value not in (select value from ${inList("change -> 'to'")})) as removed`,
      ...[lists, name, lists, name],
    )!;
  }

  find(finding: Finding): void {
    const places = findingColumns.map(() => '?').join(', ');
    const values = findingColumns.map((name) => finding[name] ?? null);
    this.#run(`insert into findings values (${places})`, ...values);
  }

  /** The findings, or those with one outcome, by file and line. */
  findings(done: Finding['done'] | null = null): Iterable<Finding> {
    const sql =
      'select * from findings where done = ifnull(?, done) order by file, line is null, line, rowid';
    return this.#each(sql, done);
  }

  /** The numbers of rows of a kind: here, and in its own file those that were refused, or are conflicts. */
  counts({ name }: Kind): Record<'here' | 'refused' | 'conflicts', number> {
    return this.#get(
      `select (select count(*) from here where kind = ?) as here,
        count(distinct iif(done = 'refused', line, null)) as refused,
        count(iif(done = 'conflict', 1, null)) as conflicts
      from findings where file = ?`,
      name,
      name,
    )!;
  }

  /** The findings by their cause, the most frequent first. */
  causes() {
    const sql = `select file, done, column, why, count(*) as count from findings
      group by file, done, column, why order by count desc, file, column, why`;
    return [
      ...this.#each<Pick<Finding, 'file' | 'done' | 'column' | 'why'> & { count: number }>(sql),
    ];
  }

  [Symbol.dispose](): void {
    setFlagsFromString('--no-optimize-for-size');
    this.#database.close();
  }
}

function parsed(form: string | null): Form | null {
  return form === null ? null : JSON.parse(form);
}
