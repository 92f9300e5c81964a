import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
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
  /** Of a conflict, what `differingValues` returns. */
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

type Action = RowChange['action'];
type Row = Record<string, SQLInputValue>;

/** A row of the files, of the registry, or of both. */
interface Pair {
  key: string;
  line: number | null;
  given: Form | null;
  here: Form | null;
  /** The row of the file was refused: it says nothing of what is here. */
  isRefused: boolean;
}

/** The list of the elements that can't be read. */
const unreadable = '';

/**
 * Both sides of a move, what was found in the files, and the changes that are planned. They are in a temporary file that
 * SQLite deletes at once, so that a registry of any size takes little memory.
 */
export class Staging implements Disposable {
  /** The keys, by kind and as their lines have them, of rows that were refused because another has the same one. */
  readonly #refusedTexts = new Set<string>();
  readonly #database = new DatabaseSync('');
  readonly #statements = new Map<string, StatementSync>();

  constructor() {
    // Garbage is collected sooner: half the memory, for a third more time of the processor (Node 24).
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

  #get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** Of its own statement, so that it may run while another like it does. */
  #each(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#database.prepare(sql).iterate(...values) as Iterable<Row>;
  }

  /** Adds a row of a file, whose key has this text there. One that was refused, with a null form, gives way to others. */
  addGiven({ name }: Kind, key: string, line: number, text: string, form: Form | null): void {
    const row = [name, key, line, text, form && JSON.stringify(form)];
    if (this.#run('insert or ignore into given values (?, ?, ?, ?, ?)', ...row)) return;
    const other = this.#get('select text from given where kind = ? and key = ?', name, key)!;
    if (form) this.#run('insert or replace into given values (?, ?, ?, ?, ?)', ...row);
    const [kept, refused] = form ? [text, other.text] : [other.text, text];
    this.#refusedTexts.delete(`${name} ${kept}`);
    if (refused !== kept) this.#refusedTexts.add(`${name} ${refused}`);
  }

  /** The line and the form of a row that was not refused. */
  given({ name }: Kind, key: string): { line: number; form: Form } | undefined {
    const sql = 'select line, form from given where kind = ? and key = ? and form is not null';
    const row = this.#get(sql, name, key);
    return row && { line: Number(row.line), form: parsed(row.form)! };
  }

  /** Whether the key, as a file has it, is that of a row that was refused because another has the same in upper case. */
  isRefusedText(kind: string, text: string | null): boolean {
    return this.#refusedTexts.has(`${kind} ${text}`);
  }

  /** Marks a value that only one row may have, and returns the key of the row that had it first. */
  take({ name }: Kind, value: string, key: string): string {
    this.#run('insert or ignore into taken values (?, ?, ?)', name, value, key);
    return this.taker({ name }, value)!;
  }

  taker({ name }: Pick<Kind, 'name'>, value: string): string | undefined {
    const row = this.#get('select key from taken where kind = ? and value = ?', name, value);
    return row && String(row.key);
  }

  /** Adds an element to a list of a row; false if it has it. */
  addElement(kind: Kind, key: string, list: string | null, element: string, line: number): boolean {
    const sql = 'insert or ignore into elements values (?, ?, ?, ?, ?)';
    return this.#run(sql, kind.name, key, list ?? unreadable, element, line);
  }

  /** The elements of a row's list in their order; null if it has some, but none that can be read. */
  elementsOf({ name }: Kind, key: string, list: string): string[] | null {
    const sql =
      'select element from elements where kind = ? and key = ? and list = ? order by element';
    const elements = this.#prepare(sql).all(name, key, list) as { element: string }[];
    if (elements.length === 0 && this.#get(sql, name, key, unreadable)) return null;
    return elements.map(({ element }) => element);
  }

  /** The elements whose row is not going to be there. */
  strayElements({ name }: Kind): Iterable<{ key: string; element: string; line: number }> {
    const sql = `select key, element, line from elements where kind = ? and list <> '${unreadable}'
      and not exists (select 1 from expected where kind = elements.kind and key = elements.key) order by line`;
    return this.#each(sql, name) as never;
  }

  /** The rows that have the element in a list. */
  rowsWith({ name }: Kind, element: string): { key: string; line: number }[] {
    this.#database.exec('create index if not exists rows_with on elements (kind, element)');
    const sql = 'select key, line from elements where kind = ? and element = ? order by line';
    return this.#prepare(sql).all(name, element) as never;
  }

  addHere(kind: Kind, form: Form): void {
    const sql = 'insert or replace into here values (?, ?, ?)';
    this.#run(sql, kind.name, keyOf(kind, form), JSON.stringify(form));
  }

  /** Every row of both sides, in the order of the keys. */
  *pairs({ name }: Kind): Generator<Pair> {
    const rows = this.#each(
      `select both.key, line, given.form as given, here.form as here, given.key is not null as is_given
      from (select kind, key from given where kind = ? union select kind, key from here where kind = ?) as both
      left join given using (kind, key) left join here using (kind, key) order by both.key`,
      ...[name, name],
    );
    for (const { key, line, given, here, is_given } of rows) {
      yield {
        ...{ key: String(key), line: line as number | null },
        ...{ given: parsed(given), here: parsed(here) },
        isRefused: is_given === 1 && given === null,
      };
    }
  }

  /** Notes that there is going to be a row with this key. */
  expect({ name }: Kind, key: string): void {
    this.#run('insert or ignore into expected values (?, ?)', name, key);
  }

  /** Notes that every row that is here is going to stay. */
  expectHere({ name }: Kind): void {
    this.#run('insert or ignore into expected select kind, key from here where kind = ?', name);
  }

  isExpected(kind: string, key: string): boolean {
    return this.#get('select 1 from expected where kind = ? and key = ?', kind, key) !== undefined;
  }

  plan(kind: Kind, key: string, change: RowChange): void {
    const row = [kind.name, change.action, rankOf(change), key, JSON.stringify(change)];
    this.#run('insert into changes values (?, ?, ?, ?, ?)', ...row);
    if (change.to) this.expect(kind, key);
  }

  /** Takes a change out of the plan and returns it, if it is planned. */
  unplan({ name }: Kind, action: Action, key: string): RowChange | undefined {
    const isRanked = action === 'replace' ? '' : 'and rank = 0';
    const row = this.#get(
      `delete from changes where kind = ? and action = ? ${isRanked} and key = ? returning change`,
      ...[name, action, key],
    );
    if (row && action === 'add')
      this.#run('delete from expected where kind = ? and key = ?', name, key);
    return row && JSON.parse(String(row.change));
  }

  /** The planned changes of a kind by one action. */
  planned({ name }: Kind, action: Action): Rows<RowChange> {
    const count = 'select count(*) as count from changes where kind = ? and action = ?';
    const page = this.#prepare(
      `select rank, key, change from changes where kind = ? and action = ? and (rank, key) > (?, ?)
        order by rank, key limit ?`,
    );
    return {
      length: Number(this.#get(count, name, action)!.count),
      *chunks(rows) {
        let last: Row = { rank: Number.MIN_SAFE_INTEGER, key: '' };
        while (true) {
          const found = page.all(name, action, last.rank!, last.key!, rows) as Row[];
          if (found.length === 0) return;
          last = found.at(-1)!;
          yield found.map(({ change }) => JSON.parse(String(change)) as RowChange);
        }
      },
    };
  }

  lineOf({ name }: Kind, key: string): number | null {
    const row = this.#get('select line from given where kind = ? and key = ?', name, key);
    return (row?.line ?? null) as number | null;
  }

  find(finding: Finding): void {
    const places = findingColumns.map(() => '?').join(', ');
    const values = findingColumns.map((name) => finding[name] ?? null);
    this.#run(`insert into findings values (${places})`, ...values);
  }

  /** The findings, or those with one outcome, by file and line. */
  findings(done: Finding['done'] | null = null): Iterable<Finding> {
    return this.#each(
      'select * from findings where done = ifnull(?, done) order by file, line is null, line, rowid',
      done,
    ) as never;
  }

  get findingCount(): number {
    return Number(this.#get('select count(*) as count from findings')!.count);
  }

  /** The numbers of rows of a kind: here, and in its own file those that were refused, or are conflicts. */
  counts({ name }: Kind): Record<'here' | 'refused' | 'conflicts', number> {
    return this.#get(
      `select (select count(*) from here where kind = ?) as here,
        count(distinct iif(done = 'refused', line, null)) as refused,
        count(iif(done = 'conflict', 1, null)) as conflicts
      from findings where file = ?`,
      ...[name, name],
    ) as never;
  }

  /** The findings by their cause, the most frequent first. */
  causes(): (Pick<Finding, 'file' | 'done' | 'column' | 'why'> & { count: number })[] {
    return this.#prepare(
      `select file, done, column, why, count(*) as count from findings
        group by file, done, column, why order by count desc, file, column, why`,
    ).all() as never;
  }

  [Symbol.dispose](): void {
    setFlagsFromString('--no-optimize-for-size');
    this.#database.close();
  }
}

/** Contacts whose ids go up change from the highest to the lowest, the others after them: each finds its new id free. */
function rankOf({ action, from, to }: RowChange): number {
  if (action !== 'replace') return 0;
  return Number(to.id) > Number(from.id) ? -Number(to.id) : Number(to.id);
}

function parsed(form: SQLInputValue | undefined): Form | null {
  return typeof form === 'string' ? JSON.parse(form) : null;
}
