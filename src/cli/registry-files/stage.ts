import { orRefusal, RegistryError } from '../../error.ts';
import { type Form, type Kind, keyOf, placeIn, uniqueValues } from '../../move-in/kind.ts';
import { type ReadText, refusal } from '../../move-in/reader.ts';
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

/** Records a finding about a row that is not refused. */
type Note = (column: string, done: Finding['done'], why: string) => void;

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
    for await (const row of formsOf(part.file, directory, own, own)) {
      stageElement(staging, kind, row);
    }
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

/**
 * Reports what the work finds in the row; or, if it throws a refusal, that alone. Returns whether it was refused. The work
 * fills the form, so the key may be known only afterwards.
 */
function examine(
  staging: Staging,
  kind: Kind,
  { file, line, values, problem }: FileForm,
  form: Form,
  keyOfRow: () => string | null,
  work: (note: Note) => void,
): boolean {
  let found: Pick<Finding, 'column' | 'done' | 'why'>[] = [];
  let isRefused = false;
  try {
    if (problem !== undefined) throw refusal(problem);
    work((column, done, why) => found.push({ column, done, why }));
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    found = error.problems.map(({ field: column = null, message: why }) => ({
      ...{ column, done: 'refused', why },
    }));
    isRefused = true;
  }
  const place = {
    file,
    line,
    key: keyOfRow(),
    registrar: form.registrar ?? values.registrar ?? null,
  };
  for (const { column, ...finding } of found) {
    const isShown = column !== null && !kind.columns[column]?.isSecret;
    const value = isShown ? (values[column] ?? null) : null;
    staging.find({ ...place, column, ...finding, value });
  }
  return isRefused;
}

/** Returns the function's value; a refusal that it throws becomes one of the column. */
function inColumn<Value>(column: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof RegistryError ? refusal(error.message, column) : error;
  }
}

function stageRow(staging: Staging, kind: Kind, row: FileForm, options: StageOptions): void {
  const form: Form = {};
  const knownKey = () => (kind.key.every((column) => form[column]) ? keyOf(kind, form) : null);
  const isRefused = examine(staging, kind, row, form, knownKey, (note) => {
    readForm(staging, kind, row, options, form, note);
    tellApart(staging, kind, form, note);
    takeValues(staging, kind, form);
    for (const { column, why } of kind.carried?.(form, options.now) ?? []) {
      note(column, 'carried', why);
    }
  });
  const key = knownKey();
  if (key === null) return;
  const text = row.values[kind.key[0]!]!;
  staging.addGiven(kind, key, row.line, text, isRefused ? null : form);
}

/** Reads the columns to the form, the key first. */
function readForm(
  staging: Staging,
  kind: Kind,
  { values }: FileForm,
  options: StageOptions,
  form: Form,
  note: Note,
): void {
  for (const column of new Set([...kind.key, ...Object.keys(kind.columns)])) {
    const text = values[column];
    if (text === undefined) continue;
    const { read, isRegistrar } = kind.columns[column]!;
    const reader = isRegistrar ? registrarReader(staging, kind, read, options) : read;
    const value = inColumn(column, () => reader(text, (why) => note(column, 'changed', why)));
    if (value !== undefined) form[column] = value;
    else if (kind.key.includes(column) && column !== kind.apart?.column)
      throw refusal('is missing', column);
  }
  kind.check?.(form);
}

/** The reader of a registrar's code; one that is gone may be replaced by the registrar for orphans. */
function registrarReader(
  staging: Staging,
  { mayBeOrphan }: Kind,
  read: ReadText,
  { orphansTo }: StageOptions,
): ReadText {
  return (text, note) => {
    const code = orRefusal(() => read(text, note));
    const isCode = typeof code === 'string';
    const isKnown = isCode && staging.isExpected('registrars', code);
    if (isCode && !isKnown && staging.isInFile('registrars', code)) {
      throw refusal(whyAbsent(staging, 'registrars', code));
    }
    const why = isKnown ? whyNot(staging, 'registrars', code, text) : 'there is no such registrar';
    if (isKnown && why === undefined) return code;
    if (!mayBeOrphan || orphansTo === undefined) throw refusal(why!);
    note(`${why}; it is now with ${orphansTo}`);
    return orphansTo;
  };
}

/** Why a text does not name the row that has it as its key in upper case. */
function whyNot(
  staging: Staging,
  kind: string,
  key: string,
  text: string | null,
): string | undefined {
  if (!staging.isRefusedText(kind, key, text)) return undefined;
  return `another line of ${kind}.csv has the same in upper case`;
}

/** Gives a row that may not have the key of an earlier one, or has none, a key of its own. */
function tellApart(staging: Staging, kind: Kind, form: Form, note: Note): void {
  if (!kind.apart) return;
  const { column, next } = kind.apart;
  const isMissing = form[column] === undefined;
  if (isMissing) form[column] = next(form);
  const isRepeated = () => staging.given(kind, keyOf(kind, form)) !== undefined;
  if (isMissing) note(column, 'changed', 'made here because the file has none');
  else if (isRepeated())
    note(column, 'changed', 'is now later, because an earlier line has the same');
  while (isRepeated()) form[column] = next(form);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function takeValues(staging: Staging, kind: Kind, form: Form): void {
  const key = keyOf(kind, form);
  if (staging.given(kind, key)) throw refusal('an earlier line has the same', kind.key[0]);
  const values = uniqueValues(kind, form);
  const taken = values.find(({ text }) => staging.taker(kind.name, text) !== undefined);
  if (taken) {
    const also = Object.entries(taken.where).map(([name, value]) => ` and the ${name} ${value}`);
    throw refusal(`an earlier line has the same${also.join('')}`, taken.columns[0]);
  }
  for (const { text } of values) staging.take(kind.name, text, key);
}

function stageElement(staging: Staging, kind: Kind, row: FileForm): void {
  const part = kind.part!;
  const [own, other] = Object.keys(part.columns) as [string, string];
  const form: Form = {};
  const knownKey = () => placeIn(part, form).key;
  examine(staging, kind, row, form, knownKey, (note) => {
    let isChanged = false;
    for (const [column, read] of Object.entries(part.columns)) {
      const isReference = column === own || part.refersTo !== undefined;
      const onChange = (why: string) => {
        if (!isReference) note(column, 'changed', why);
        isChanged ||= !isReference;
      };
      form[column] = inColumn(column, () => read(row.values[column] ?? null, onChange)) ?? null;
    }
    const { key, column, element } = placeIn(part, form) as Record<
      'key' | 'column' | 'element',
      string
    >;
    // Whether its own row is there is known later.
    const whyNotOwn = whyNot(staging, kind.name, key, row.values[own]!);
    if (whyNotOwn !== undefined) throw refusal(whyNotOwn, own);
    const others = part.refersTo;
    const whyNotOther = others && whyNoReference(staging, others, element, row.values[other]!);
    if (whyNotOther !== undefined) throw refusal(whyNotOther, other);
    const isOther =
      column === part.single && staging.take(kind.name, `${column} ${key}`, element) !== element;
    if (isOther) throw refusal(`an earlier line has another ${column}`, other);
    if (!staging.addElement(kind, key, column, element, row.line) && !isChanged)
      throw refusal('an earlier line has the same', other);
    if (others && !staging.isExpected(others, element)) staging.holdBack(kind, key);
  });
}

/** Why the key does not name a row that is or will be here, or one of the files that is a conflict. */
function whyNoReference(
  staging: Staging,
  name: string,
  key: string,
  text: string,
): string | undefined {
  const why = whyNot(staging, name, key, text);
  const isGood = staging.isExpected(name, key) || staging.given({ name }, key) !== undefined;
  return why ?? (isGood ? undefined : whyAbsent(staging, name, key));
}

/** Why there is no row with the key. */
export function whyAbsent(staging: Staging, name: string, key: string): string {
  if (staging.isInFile(name, key)) return `its row in ${name}.csv is not moved in`;
  return `there is no such row in ${name}`;
}
