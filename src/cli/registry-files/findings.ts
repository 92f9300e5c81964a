import type { Form, Kind } from '../../move-in/kind.ts';
import type { RowChange } from '../../move-in/write.ts';
import { openTemporary } from '../file/spool.ts';

export const findingColumns = [
  'file',
  'line',
  'key',
  'column',
  'value',
  'here',
  'done',
  'why',
  'registrar',
] as const;

/** A line of the report about a value or a row of the files. */
export interface Finding {
  /** Its name without `.csv`. */
  file: string;
  /** Null if it is not about a line. */
  line: number | null;
  key: string | null;
  column: string | null;
  /** A conflict has what `differingValues` returns, or the row that refers to one that was to go. */
  value: string | null;
  /** Of a conflict, the values here in place of those in `value`; null if the row is not here. */
  here: string | null;
  /** A conflict that the files settle is `settled`. */
  done: 'carried' | 'changed' | 'refused' | 'conflict' | 'settled';
  /** The reason, without values: findings with the same one are counted together. */
  why: string;
  /** The registrar that gets the row; if the row is refused before that is known, the one that its line names. */
  registrar: string | null;
}

/** Why a row that is not in the files stays. */
export const isHeld = 'another row still refers to it';

type NewFinding = Pick<Finding, 'file' | 'done' | 'why'> & Partial<Finding>;

/** Everything that was found in the files. */
export class FindingList implements Disposable {
  readonly #database = openTemporary(`create table findings (${findingColumns.join(', ')})`);

  readonly #insertion = this.#database.prepare(
    `insert into findings values (${findingColumns.map(() => '?').join(', ')})`,
  );

  /** Adds a finding; null stands for what it does not say. */
  add(finding: NewFinding): void {
    this.#insertion.run(...findingColumns.map((name) => finding[name] ?? null));
  }

  /** The findings, or those with one outcome, by file and line, and those of rows that the file lacks by key. */
  list(done: Finding['done'] | null = null): Iterable<Finding> {
    const sql =
      'select * from findings where done = ifnull(?, done) order by file, line is null, line, iif(line is null, key, 0), rowid';
    return this.#database.prepare(sql).iterate(done) as Iterable<unknown> as Iterable<Finding>;
  }

  /** The numbers of refused rows and of conflicts in a file. */
  counts(file: string) {
    const sql = `select count(distinct iif(done = 'refused', line, null)) as refused,
        count(iif(done = 'conflict', 1, null)) as conflicts
      from findings where file = ?`;
    return this.#database.prepare(sql).get(file) as Record<'refused' | 'conflicts', number>;
  }

  /** The number of conflicts that the files settle. */
  countSettled(): number {
    const sql = "select count(*) as count from findings where done = 'settled'";
    return (this.#database.prepare(sql).get() as { count: number }).count;
  }

  /** The findings by their cause, the most frequent first. */
  causes() {
    const sql = `select file, done, column, why, count(*) as count from findings
      group by file, done, column, why order by count desc, file, column, why`;
    type Cause = Pick<Finding, 'file' | 'done' | 'column' | 'why'> & { count: number };
    return this.#database.prepare(sql).all() as unknown[] as Cause[];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** A change of a row, with its line and form in the file, if the file has it. */
type PlacedChange = Pick<Finding, 'key' | 'line'> &
  Pick<RowChange, 'from' | 'to'> & { incoming: Form | null };

/** Reports that a change is not made, because it conflicts with what is stored. */
export function conflictFinding(kind: Kind, change: PlacedChange, why: string): Finding {
  const { key, line, to } = change;
  const registrar = to?.registrar ?? null;
  const values = differingValues(kind, change);
  return { file: kind.name, line, key, column: null, ...values, done: 'conflict', why, registrar };
}

/** The columns in which a row of the files differs from the stored one. */
export function differingColumns(incoming: Form, stored: Form | null): string[] {
  return Object.keys(incoming).filter((column) => incoming[column] !== (stored?.[column] ?? null));
}

/** The values that differ, in the files and here, as JSON for the report; null on a side that lacks the row. */
function differingValues(kind: Kind, { incoming, from, to }: PlacedChange) {
  if (!to) return { value: null, here: null };
  const shown = [...Object.keys(incoming ?? to), ...(kind.part?.fills ?? [])];
  const columns = differingColumns(to, from).filter((column) => shown.includes(column));
  const valuesOf = (form: Form) =>
    JSON.stringify(
      Object.fromEntries(
        columns.map((column) => [column, kind.columns[column]?.isSecret ? null : form[column]]),
      ),
    );
  return { value: valuesOf(to), here: from && valuesOf(from) };
}
