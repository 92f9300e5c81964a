import { createHash } from 'node:crypto';
import type { Database } from '../../database/open.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import { readForms } from '../../move-in/read.ts';
import type { Staging } from './staging.ts';

/** A row that is in the files, in the registry, or in both, with the whole form of each. */
export interface Compared {
  key: string;
  line: number | null;
  given: Form | null;
  here: Form | null;
  /** The row of the file was refused: it says nothing of what is here. */
  isRefused: boolean;
  isEqual: boolean;
}

/** Reads all rows of the kind from the registry to the staging. */
export async function gatherHere(db: Database, staging: Staging, kind: Kind): Promise<void> {
  for await (const forms of readForms(db, kind)) {
    for (const form of forms) staging.addHere(kind, form);
  }
}

/**
 * Compares both sides of a kind, in the order of the keys. `columns` are those that the files have: of the others, what is
 * here counts as given.
 */
export async function* compareKind(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  now: Date,
): AsyncGenerator<Compared> {
  const hasRows = kind.key.every((column) => columns.has(column));
  for (const { key, line, given: read, here, isRefused } of staging.pairs(kind)) {
    // Without a file of the rows, there are those that are here.
    const given = hasRows ? read : here && {};
    const whole = given && withLists(staging, kind, columns, key, { ...here, ...given });
    const settled = whole && (await (kind.settle?.(whole, here) ?? whole));
    const unfit = settled && !here ? kind.unfit?.(settled, now) : undefined;
    if (unfit) {
      const { column, why } = unfit;
      const value = valueIn(kind, settled!, column);
      staging.find({ file: kind.name, line, key, column, value, done: 'refused', why });
      yield { key, line, given: null, here, isRefused: true, isEqual: false };
      continue;
    }
    const isEqual = !isRefused && isSameForm(settled, here);
    yield { key, line, given: settled, here, isRefused, isEqual };
  }
}

/** The form with the lists that its part's file fills. */
function withLists(
  staging: Staging,
  kind: Kind,
  columns: ReadonlySet<string>,
  key: string,
  form: Form,
): Form {
  const { part } = kind;
  if (!part?.fills.every((column) => columns.has(column))) return form;
  const { file, ifEmpty } = part;
  const place = { file, line: null, key, column: null, value: null };
  const filled = part.fills.map((column) => {
    const elements = staging.elementsOf(kind, key, column);
    if (!ifEmpty || elements?.length) return [column, JSON.stringify(elements ?? [])];
    const { means, closed } = ifEmpty;
    if (elements) {
      staging.find({ ...place, done: 'carried', why: `has no row: ${means}` });
      return [column, '[]'];
    }
    const why = `has no row that can be read; it gets ${closed} so that it is not ${means}`;
    staging.find({ ...place, done: 'changed', why });
    return [column, JSON.stringify([closed])];
  });
  return { ...form, ...Object.fromEntries(filled) };
}

/** Reports the elements of rows that are not going to be there. */
export function reportStray(staging: Staging, kind: Kind): void {
  if (!kind.part) return;
  const { file, columns } = kind.part;
  const [column] = Object.keys(columns);
  for (const { key, line } of staging.strayElements(kind)) {
    const why = `there is no such row in ${kind.name}`;
    staging.find({ file, line, key, column: column!, value: key, done: 'refused', why });
  }
}

function isSameForm(one: Form | null, other: Form | null): boolean {
  if (!one || !other) return one === other;
  return Object.keys(other).every((column) => one[column] === other[column]);
}

/** The value as the report shows it. */
function valueIn({ columns }: Kind, form: Form, column: string): string | null {
  return columns[column]?.isSecret ? null : (form[column] ?? null);
}

/** The values of the files that differ from what is here, as JSON; null for a row that they lack. */
export function differingValues(kind: Kind, given: Form | null, here: Form | null): string | null {
  if (!given) return null;
  const values = Object.keys(given)
    .filter((column) => given[column] !== (here?.[column] ?? null))
    .map((column) => [column, valueIn(kind, given, column)]);
  return JSON.stringify(Object.fromEntries(values));
}

/** The columns in which the forms differ. */
export function differingColumns(one: Form, other: Form): string[] {
  return Object.keys(other).filter((column) => one[column] !== other[column]);
}

/** What one side has of a kind: its rows, also by registrar, and a digest of their forms in the order of the keys. */
export class Side {
  rows = 0;
  readonly byRegistrar: Record<string, number> = {};
  readonly #hash = createHash('sha256');

  add(form: Form): void {
    this.rows += 1;
    const { registrar } = form;
    if (registrar) this.byRegistrar[registrar] = (this.byRegistrar[registrar] ?? 0) + 1;
    const columns = Object.keys(form).sort();
    this.#hash.update(`${JSON.stringify(columns.map((column) => form[column]))}\n`);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
