import { RegistryError } from '../../error.ts';
import { type Form, type Kind, keyOf, uniqueValues } from '../../move-in/kind.ts';
import type { ReadText } from '../../move-in/reader.ts';
import { readRows } from '../file/read.ts';
import type { Directory } from './directory.ts';
import type { Finding, Staging } from './staging.ts';

export interface StageOptions {
  now: Date;
  /** The registrar that gets what belonged to one that is gone. */
  orphansTo?: string | undefined;
}

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
 * if there are none. The rows of the kinds that it refers to are expected. Throws `malformed` for a file whose rows cannot
 * be told apart.
 */
export async function stageKind(
  staging: Staging,
  kind: Kind,
  directory: Directory,
  options: StageOptions,
): Promise<ReadonlySet<string> | undefined> {
  const { name, part, key, apart, required = [] } = kind;
  const columns = new Set<string>();
  if (directory.has(name)) {
    const own = Object.keys(kind.columns).filter((column) => !part?.fills.includes(column));
    const needed = [...key, ...required].filter((column) => column !== apart?.column);
    for await (const row of formsOf(name, directory, own, needed)) {
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

  constructor({ problem }: Partial<FileForm> = {}) {
    if (problem !== undefined) this.add('refused', null, problem);
  }

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
    const place = { file, line, key, registrar: values.registrar ?? null };
    for (const found of this.#all) {
      if (this.isRefused && found.done !== 'refused') continue;
      const { column } = found;
      const isShown = column !== null && !kind.columns[column]?.isSecret;
      staging.find({ ...place, ...found, value: isShown ? (values[column] ?? null) : null });
    }
  }
}

function stageRow(staging: Staging, kind: Kind, row: FileForm, options: StageOptions): void {
  const found = new RowFindings(row);
  const form = readForm(staging, kind, row, options, found);
  if (!found.isRefused) tellApart(staging, kind, form, found);
  const key = kind.key.every((column) => form[column]) ? keyOf(kind, form) : null;
  if (!found.isRefused) takeValues(staging, kind, form, found);
  if (!found.isRefused) {
    for (const { column, why } of kind.carried?.(form, options.now) ?? []) {
      found.add('carried', column, why);
    }
  }
  found.report(staging, kind, row, key);
  if (key === null) return;
  const text = row.values[kind.key[0]!]!;
  staging.addGiven(kind, key, row.line, text, found.isRefused ? null : form);
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
    else if (kind.key.includes(column) && column !== kind.apart?.column && !found.isRefused)
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
    const isKnown = code && staging.isExpected('registrars', code);
    const why = isKnown ? whyNot(staging, 'registrars', text) : 'there is no such registrar';
    if (why === undefined) return code!;
    if (!mayBeOrphan || orphansTo === undefined) throw new RegistryError('not_found', why);
    note(`${why}; it is now with ${orphansTo}`);
    return orphansTo;
  };
}

/** Why a text does not name the row that has it as its key in upper case. */
function whyNot(staging: Staging, kind: string, text: string | null): string | undefined {
  if (!staging.isRefusedText(kind, text)) return undefined;
  return `another line of ${kind}.csv has the same in upper case`;
}

/** Gives a row that may not have the key of an earlier one, or has none, a key of its own. */
function tellApart(staging: Staging, kind: Kind, form: Form, found: RowFindings): void {
  if (!kind.apart) return;
  const { column, next } = kind.apart;
  const isMissing = form[column] === undefined;
  if (isMissing) form[column] = next(form);
  const isRepeated = () => staging.given(kind, keyOf(kind, form)) !== undefined;
  const why = isMissing
    ? 'made here because the file has none'
    : 'is now later, because an earlier line has the same';
  if (isMissing || isRepeated()) found.add('changed', column, why);
  while (isRepeated()) form[column] = next(form);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function takeValues(staging: Staging, kind: Kind, form: Form, found: RowFindings): void {
  const key = keyOf(kind, form);
  if (staging.given(kind, key)) {
    found.add('refused', kind.key[0]!, 'an earlier line has the same');
    return;
  }
  const values = uniqueValues(kind, form);
  for (const { columns, where, text } of values) {
    if (staging.taker(kind, text) === undefined) continue;
    const also = Object.entries(where).map(([name, value]) => ` and the ${name} ${value}`);
    found.add('refused', columns[0]!, `an earlier line has the same${also.join('')}`);
  }
  if (!found.isRefused) for (const { text } of values) staging.take(kind, text, key);
}

function stageElement(staging: Staging, kind: Kind, row: FileForm): void {
  const part = kind.part!;
  const found = new RowFindings(row);
  const form: Form = {};
  const [own, other] = Object.keys(part.columns) as [string, string];
  const kinds: Record<string, string | undefined> = { [own]: kind.name, [other]: part.refersTo };
  for (const [column, read] of Object.entries(part.columns)) {
    const text = row.values[column] ?? null;
    const value = found.try(column, () => read(text, () => {})) ?? null;
    form[column] = value;
    const referred = kinds[column];
    if (!referred || value === null) continue;
    // Whether its own row is there is known later.
    const isKnown = column === own || staging.isExpected(referred, value);
    const why = isKnown ? whyNot(staging, referred, text) : `there is no such row in ${referred}`;
    if (why !== undefined) found.add('refused', column, why);
  }
  const { key, column, element } = part.place(form);
  if (!found.isRefused) {
    const isOther =
      column === part.single && staging.take(kind, `${column} ${key}`, element!) !== element;
    if (isOther) found.add('refused', other, `an earlier line has another ${column}`);
    else if (!staging.addElement(kind, key!, column, element!, row.line))
      found.add('refused', other, 'an earlier line has the same');
  }
  // The list has elements that can't be read, and is not empty.
  else if (key !== null) staging.addElement(kind, key, null, String(row.line), row.line);
  found.report(staging, kind, row, key);
}
