import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { stringify } from 'csv-stringify/sync';
import { dataOf, fieldsOf, plain, type Shown, type ViewColumns } from '../view/columns.ts';
import { type Lines, printable } from '../view/text.ts';
import { type CommonOptions, readCommand } from './command.ts';
import type { Registry } from './registry.ts';
import { writeOutput } from './report/output.ts';
import { fieldLines, table } from './report/table.ts';
import { type Report, verb } from './run.ts';

/** The presentation of one kind of thing: data, and functions that print nothing. */
export interface RowView<Row, Given extends unknown[]> extends Shown<Row> {
  read(registry: Registry, ...given: Given): AsyncIterable<Row> | Promise<Row[]>;
}

interface Printing {
  json?: true;
  csv?: true;
}

/** Lists and objects are JSON. */
function csvOf<Row>(columns: ViewColumns<Row>, rows: readonly Row[], header = true): string {
  const data = rows.map((row) => dataOf(columns, row));
  const options = { header, columns: Object.keys(columns), cast: { boolean: String } };
  return stringify(data, options).trimEnd();
}

export const csvOption = () => new Option('--csv', 'answer in CSV').conflicts('json');

export const listCommand = (description: string, ...examples: string[]) =>
  readCommand('list', ...examples)
    .description(description)
    .addOption(csvOption());

export function listVerb<
  Row,
  Args extends unknown[],
  Options extends OptionValues & CommonOptions & Printing,
>(view: RowView<Row, [...Args, Options]>, command: Command<Args, Options>) {
  return verb(command, (registry, ...given) => listReport(view, registry, ...given));
}

export async function listReport<Row, Given extends unknown[]>(
  view: RowView<Row, Given>,
  registry: Registry,
  ...given: Given
): Promise<Report> {
  const rows = await Array.fromAsync(await view.read(registry, ...given));
  const options = given.at(-1) as Printing;
  return rowsReport(view, rows, options, { sought: soughtIn(given) });
}

/** The arguments and filters that were typed, as a miss names them. */
export function soughtIn(given: readonly unknown[]): string {
  const sought = given.flatMap((one): [string, unknown][] =>
    typeof one === 'string' ? [['', one]] : Object.entries(one ?? {}),
  );
  const texts = sought.filter(
    ([name, value]) => typeof value === 'string' && !['persistTo', 'env'].includes(name),
  );
  return texts.map(([name, value]) => `${name && ` --${name}`} ${JSON.stringify(value)}`).join('');
}

/** Figures about all rows follow in JSON and below the table. */
export function rowsReport<Row>(
  { name, columns, table: names }: Shown<Row>,
  rows: readonly Row[],
  { csv }: Printing = {},
  all: { data?: Record<string, unknown>; lines?: readonly string[]; sought?: string } = {},
): Report {
  const cells = rows.map((row) => Object.fromEntries(fieldsOf(columns, row, true)));
  const none = `there are no ${name.replaceAll('_', ' ')}${all.sought ? ` with${all.sought}` : ''}`;
  const shown = table(cells, printable(none), names.split(' '));
  return {
    data: { ...all.data, [name]: rows.map((row) => dataOf(columns, row)) },
    text: [shown, ...(all.lines ?? [])],
    ...(csv && { csv: csvOf(columns, rows) }),
  };
}

export function figures<Row extends object>(
  rows: readonly Row[],
  { csv }: Printing,
  ...lines: string[]
): Pick<Report, 'csv' | 'text'> {
  const columns = plain<Row>(...(Object.keys(rows[0] ?? {}) as (keyof Row & string)[]));
  const text = [...(rows.length > 0 ? table(rows, '') : []), ...lines];
  return { text, ...(csv && { csv: csvOf(columns, rows) }) };
}

/** Prints each row as it is read: as text, or as a line with --json and --csv. Returns a note without rows. */
export async function streamRows<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  { columns, textOf, none }: { columns: ViewColumns<Row>; textOf(row: Row): Lines; none: string },
  { json, csv }: Printing,
): Promise<Report | undefined> {
  let isEmpty = true;
  for await (const row of rows) {
    const line = csv ? csvOf(columns, [row], isEmpty) : printable(textOf(row));
    await writeOutput(`${json ? JSON.stringify(dataOf(columns, row)) : line}\n`);
    isEmpty = false;
  }
  return isEmpty && !json ? { data: {}, text: none } : undefined;
}

/** Without a name, one thing is the whole JSON. */
export function showReport<Row>(
  name: string | undefined,
  columns: ViewColumns<Row>,
  shown: Row | readonly Row[],
): Report {
  const rows = [shown].flat() as Row[];
  const texts = rows.map((row) => fieldLines(Object.fromEntries(fieldsOf(columns, row, true))));
  const text = texts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
  const data = rows.map((row) => dataOf(columns, row));
  const answer = Array.isArray(shown) ? data : data[0]!;
  return { data: name === undefined ? data[0]! : { [name]: answer }, text };
}
