import { snakeCase } from '../change/history/changes.ts';

export interface Shown<Row> {
  /** The name of the rows in JSON. */
  name: string;
  columns: ViewColumns<Row>;
  /** Separated by blanks. */
  table: string;
}

/** The columns by their names in JSON and CSV: a property of the row, or a derived value. */
export type ViewColumns<Row> = Record<string, Of<Row> | { of: Of<Row>; cell: Made<Row> }>;

type Of<Row> = (keyof Row & string) | Made<Row>;
type Made<Row> = (row: Row) => unknown;

/** Columns with the properties' names in JSON's spelling. */
export function plain<Row>(...names: (keyof Row & string)[]): ViewColumns<Row> {
  return Object.fromEntries(names.map((name) => [snakeCase(name), name]));
}

export function fieldsOf<Row>(
  columns: ViewColumns<Row>,
  row: Row,
  isForPeople = false,
): [string, unknown][] {
  return Object.entries(columns).map(([name, column]) => {
    const { of, cell } = typeof column === 'object' ? column : { of: column };
    const made = isForPeople && cell ? cell : of;
    return [name, (typeof made === 'function' ? made(row) : row[made as keyof Row]) ?? null];
  });
}

export function dataOf<Row>(columns: ViewColumns<Row>, row: Row): Record<string, unknown> {
  return Object.fromEntries(fieldsOf(columns, row));
}
