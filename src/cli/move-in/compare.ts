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
  /** Why a row that is not here should not be. */
  unfit: { column: string; why: string } | undefined;
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
    const isSame = settled && here && differingColumns(settled, here).length === 0;
    yield { key, line, given: settled, here, isRefused, isEqual: isSame === true, unfit };
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

/** The columns in which a row of the files differs from what is here. */
export function differingColumns(given: Form, here: Form | null): string[] {
  return Object.keys(given).filter((column) => given[column] !== (here?.[column] ?? null));
}

/** What differs as the report shows it: the values of the files as JSON, or null for a row that they lack. */
export function differingValues(kind: Kind, given: Form | null, here: Form | null): string | null {
  if (!given) return null;
  const values = differingColumns(given, here).map((column) => [
    column,
    kind.columns[column]?.isSecret ? null : given[column],
  ]);
  return JSON.stringify(Object.fromEntries(values));
}
