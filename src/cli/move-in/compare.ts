import { createHash } from 'node:crypto';
import type { Database } from '../../database/open.ts';
import { RegistryError } from '../../error.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import { readForms } from '../../move-in/read.ts';
import { unreadable } from './stage.ts';
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
 * here counts as given, and a new row gets values of its own. Throws `invalid` for a registrar none of whose addresses
 * can be read.
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
    const added = settled && !here ? newForm(kind, settled, now) : settled;
    const outdated = added && !here ? kind.outdated?.(added, now) : undefined;
    if (outdated) {
      const value = added![outdated.column]!;
      staging.find({ file: kind.name, line, key, ...outdated, value, done: 'refused' });
      yield { key, line, given: null, here, isRefused: true, isEqual: false };
      continue;
    }
    yield {
      key,
      line,
      given: added,
      here,
      isRefused,
      isEqual: !isRefused && isSameForm(added, here),
    };
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
  const part = kind.part;
  if (!part?.fills.every((column) => columns.has(column))) return form;
  const elements = staging.elementsOf(kind, key);
  const refuse = (element: string, line: number, why: string) => {
    const [, column] = Object.keys(part.columns);
    staging.find({
      file: part.file,
      line,
      key,
      column: column!,
      value: element,
      done: 'refused',
      why,
    });
  };
  const lists = Object.fromEntries(part.fills.map((column): [string, string[]] => [column, []]));
  for (const { list, element, line } of elements) {
    if (list === unreadable) continue;
    if (part.refersTo && !staging.isExpected(part.refersTo, element)) {
      refuse(element, line, `there is no such row in ${part.refersTo}`);
    } else lists[list]!.push(element);
  }
  if (part.ifEmpty !== undefined && Object.values(lists).flat().length === 0) {
    if (elements.length > 0) {
      const message = `no row of ${key} in ${part.file}.csv can be read; without any, it would be ${part.ifEmpty}`;
      throw new RegistryError('invalid', message);
    }
    const place = { file: part.file, line: null, key, column: null, value: null };
    staging.find({ ...place, done: 'carried', why: `has no row: ${part.ifEmpty}` });
  }
  const filled = Object.entries(lists).map(([column, list]) => [column, JSON.stringify(list)]);
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

/** A row that is not here yet, with values of its own where the files give none. */
function newForm(kind: Kind, form: Form, now: Date): Form {
  const own = kind.missing?.(form, now) ?? {};
  const values = Object.entries(kind.columns).map(([column, { read }]) => {
    if (column in form) return [column, form[column]];
    return [column, own[column] ?? emptyOf(read)];
  });
  return Object.fromEntries(values);
}

function emptyOf(read: Kind['columns'][string]['read']): string | null {
  return read(null, () => {}) ?? null;
}

function isSameForm(one: Form | null, other: Form | null): boolean {
  if (!one || !other) return one === other;
  return Object.keys(other).every((column) => one[column] === other[column]);
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
