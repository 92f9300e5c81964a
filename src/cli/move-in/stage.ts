import { RegistryError } from '../../error.ts';
import type { Form, Kind } from '../../move-in/kind.ts';
import type { ReadText } from '../../move-in/reader.ts';
import { readRows } from '../file/read.ts';
import type { Directory } from './directory.ts';
import type { Finding, Staging } from './staging.ts';

export interface StageOptions {
  now: Date;
  /** The registrar that gets what belonged to one that is gone. */
  orphansTo?: string | undefined;
}

/** The list of the elements that can't be read. */
export const unreadable = '';

/** A row of a file with the texts of its fields, null for empty ones. */
interface FileForm {
  file: string;
  line: number;
  values: Form;
  /** Why it can't be read as a row. */
  problem?: string | undefined;
}

/**
 * Reads the files of a kind to the staging, with what is found in them, and returns the columns that they have; undefined
 * if there are none. Throws `malformed` for a file whose rows cannot be told apart.
 */
export async function stageKind(
  staging: Staging,
  kind: Kind,
  directory: Directory,
  options: StageOptions,
): Promise<ReadonlySet<string> | undefined> {
  const { name, part, key, required = [] } = kind;
  const columns = new Set<string>();
  if (directory.has(name)) {
    const own = Object.keys(kind.columns).filter((column) => !part?.fills.includes(column));
    for await (const row of formsOf(name, directory, own, [...key, ...required])) {
      for (const column of Object.keys(row.values)) columns.add(column);
      stageRow(staging, kind, row, options);
    }
    for (const column of key) columns.add(column);
  }
  if (part && directory.has(part.file)) {
    const own = Object.keys(part.columns);
    for await (const row of formsOf(part.file, directory, own, own))
      stageElement(staging, kind, row);
    for (const column of part.fills) columns.add(column);
  }
  return columns.size > 0 ? columns : undefined;
}

async function* formsOf(
  name: string,
  { fileOf, ignored }: Directory,
  known: readonly string[],
  required: readonly string[],
): AsyncGenerator<FileForm> {
  const columns = Object.fromEntries(
    known.map((column) => [column, { note: '', isRequired: required.includes(column) }]),
  );
  const onUnknown = (column: string) => ignored.push(`${name}.csv: ${column}`);
  for await (const { values, ...row } of readRows(fileOf(name), 'csv', columns, onUnknown)) {
    const texts = Object.entries(values).map(([column, text]) => [column, text || null]);
    yield { file: name, values: Object.fromEntries(texts), ...row };
  }
}

/** What is found in one row. Of one that is refused, nothing else is said. */
class RowFindings {
  readonly #all: Pick<Finding, 'column' | 'done' | 'why'>[] = [];

  add(done: Finding['done'], column: string | null, why: string): void {
    this.#all.push({ column, done, why });
  }

  get isRefused(): boolean {
    return this.#all.some(({ done }) => done === 'refused');
  }

  /** Runs the work; notes a refusal that it throws, and returns undefined. */
  try<Result>(column: string | null, work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      this.add('refused', column, error.message);
      return undefined;
    }
  }

  report(staging: Staging, kind: Kind, { file, line, values }: FileForm, key: string | null): void {
    const meant = this.#all.filter(({ done }) => !this.isRefused || done === 'refused');
    for (const { column, done, why } of meant) {
      const isShown = column !== null && !kind.columns[column]?.isSecret;
      const value = isShown ? (values[column] ?? null) : null;
      staging.find({
        file,
        line,
        key,
        column,
        value,
        done,
        why,
        registrar: values.registrar ?? null,
      });
    }
  }
}

function stageRow(staging: Staging, kind: Kind, row: FileForm, options: StageOptions): void {
  const found = new RowFindings();
  if (row.problem !== undefined) found.add('refused', null, row.problem);
  const form = readForm(staging, kind, row, options, found);
  const parts = kind.key.map((column) => form[column]);
  const key = parts.every(Boolean) ? parts.join(' ') : null;
  if (key !== null) checkRepetition(staging, kind, { ...row, form, key }, found);
  if (!found.isRefused) {
    for (const { column, why } of kind.carried?.(form, options.now) ?? []) {
      found.add('carried', column, why);
    }
  }
  found.report(staging, kind, row, key);
  if (key !== null) staging.addGiven(kind, key, row.line, found.isRefused ? null : form);
}

function readForm(
  staging: Staging,
  kind: Kind,
  { values }: FileForm,
  options: StageOptions,
  found: RowFindings,
): Form {
  const form: Form = {};
  for (const [column, { read, isRegistrar }] of Object.entries(kind.columns)) {
    const text = values[column];
    if (text === undefined) continue;
    const note = (why: string) => found.add('changed', column, why);
    const reader = isRegistrar ? registrarReader(staging, kind, read, options) : read;
    const value = found.try(column, () => reader(text, note));
    if (value !== undefined) form[column] = value;
    else if (kind.key.includes(column) && !found.isRefused)
      found.add('refused', column, 'is missing');
  }
  if (!found.isRefused) found.try(null, () => kind.check?.(form));
  return form;
}

/** The reader of a registrar's code; one that is gone may be replaced by the registrar for orphans. */
function registrarReader(
  staging: Staging,
  { mayBeOrphan }: Kind,
  read: ReadText,
  { orphansTo }: StageOptions,
): ReadText {
  return (text, note) => {
    const code = new RowFindings().try(null, () => read(text, note));
    if (code && staging.isExpected('registrars', code)) {
      refuseRepeated(staging, 'registrars', text);
      return code;
    }
    if (!mayBeOrphan || orphansTo === undefined) {
      throw new RegistryError('not_found', 'there is no such registrar');
    }
    note(`there is no such registrar; it is now with ${orphansTo}`);
    return orphansTo;
  };
}

/** Refuses a reference to a row that was refused because another has the same key in upper case. */
function refuseRepeated(staging: Staging, kind: string, text: string | null): void {
  if (!staging.repeated.has(`${kind} ${text}`)) return;
  throw new RegistryError('invalid', `an earlier line of ${kind}.csv has the same in upper case`);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function checkRepetition(
  staging: Staging,
  kind: Kind,
  { form, key, line, values }: { form: Form; key: string } & FileForm,
  found: RowFindings,
): void {
  if (staging.lineOf(kind, key) !== null) {
    found.add('refused', kind.key[0]!, 'an earlier line has the same');
    staging.repeated.add(`${kind.name} ${values[kind.key[0]!]}`);
    return;
  }
  for (const { columns, where = {} } of found.isRefused ? [] : (kind.unique ?? [])) {
    const own = columns.map((column) => form[column]);
    const isMeant =
      own.every(Boolean) && Object.entries(where).every(([name, value]) => form[name] === value);
    if (!isMeant || staging.take(kind, `${columns} ${own}`, line)) continue;
    const also = Object.entries(where).map(([name, value]) => ` and the ${name} ${value}`);
    found.add('refused', columns[0]!, `an earlier line has the same${also.join('')}`);
  }
}

function stageElement(staging: Staging, kind: Kind, row: FileForm): void {
  const part = kind.part!;
  const found = new RowFindings();
  if (row.problem !== undefined) found.add('refused', null, row.problem);
  const form: Form = {};
  const [own, other] = Object.keys(part.columns) as [string, string];
  const kinds = new Map([
    [own, kind.name],
    [other, part.refersTo],
  ]);
  for (const [column, read] of Object.entries(part.columns)) {
    const text = row.values[column] ?? null;
    form[column] = found.try(column, () => read(text, () => {})) ?? null;
    const referred = kinds.get(column);
    if (referred) found.try(column, () => refuseRepeated(staging, referred, text));
  }
  const { key, column, element } = part.place(form);
  const isSingle = !found.isRefused && column === part.single;
  if (isSingle && !staging.take(kind, `${column} ${key}`, row.line)) {
    found.add('refused', other, `an earlier line has another ${column}`);
  }
  found.report(staging, kind, row, key);
  if (!found.isRefused) staging.addElement(kind, key!, column!, element!, row.line);
  // The list has elements that are not known, and is not empty.
  else if (key !== null) staging.addElement(kind, key, unreadable, String(row.line), row.line);
}
