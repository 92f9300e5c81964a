import { orRefusal, RegistryError } from '../../error.ts';
import {
  type Form,
  type Kind,
  type KindColumn,
  keyOf,
  placeIn,
  uniqueValues,
} from '../../move-in/kind.ts';
import { type ReadText, refusal } from '../../move-in/reader.ts';
import { columnsNamed, type FileRow } from '../file/format.ts';
import { readRows } from '../file/read.ts';
import { type Directory, filesOf, type KindFile } from './directory.ts';
import type { Finding } from './findings.ts';
import type { StagedRow, Staging } from './staging.ts';

/** A move of files into the registry. */
export interface Move {
  staging: Staging;
  directory: Directory;
  now: Date;
  /** The registrar that gets what belonged to one that is gone. */
  orphansTo?: string | undefined;
  /** The conflicts that the files settle: all, or those of these rows, such as `contacts:ALPHA:1`. */
  theirs?: true | readonly string[] | undefined;
  /** Takes both forms of each row, except rows that have ended or can't be stored. */
  onCompared?(kind: Kind, wanted: Form | null, stored: Form | null): void;
}

export type KindMove = Move & { kind: Kind };

/** A row of a file. An empty field is null. */
type FileForm = Omit<FileRow, 'values'> & { file: string; values: Form };

/** Notes something about a row that is not refused. */
type Note = (column: string, done: Finding['done'], why: string) => void;

/**
 * Reads the files of a kind to the staging, with what is found in them. The kinds that it refers to must have been planned.
 * Throws `malformed` for a file whose rows cannot be told apart.
 */
export async function stageKind(move: KindMove): Promise<void> {
  const { key, apart, required = [] } = move.kind;
  const [own, elements] = filesOf(move.kind);
  const needed = [...key, ...required].filter((column) => column !== apart?.column);
  for await (const row of formsOf(move, own, needed)) stageRow(move, row);
  if (!elements) return;
  for await (const row of formsOf(move, elements)) stageElement(move, row);
}

/** Yields the rows of a file; none if there is no such file. */
async function* formsOf(
  { directory: { fileOf, has, ignored } }: KindMove,
  { name, columns }: KindFile,
  required = columns,
): AsyncGenerator<FileForm> {
  if (!has(name)) return;
  const onUnknown = (column: string) => ignored.push(`${name}.csv: ${column}`);
  const known = columnsNamed(columns, required);
  for await (const { values, ...row } of readRows(fileOf(name), 'csv', known, onUnknown)) {
    const texts = Object.entries(values).map(([column, text]) => [column, text || null]);
    yield { file: name, values: Object.fromEntries(texts), ...row };
  }
}

/**
 * Does the work on a row and adds what it notes to the findings; or, if it throws a refusal, that alone. Returns whether
 * the row was refused. The work fills the form, so the key may be known only afterwards.
 */
function examine(
  { staging, kind }: KindMove,
  { file, line, values, problem }: FileForm,
  form: Form,
  keyOfRow: () => string | null,
  work: (note: Note) => void,
): boolean {
  const noted: Pick<Finding, 'column' | 'done' | 'why'>[] = [];
  const refused = orRefusal(() => {
    if (problem !== undefined) throw refusal(problem);
    work((column, done, why) => noted.push({ column, done, why }));
  });
  const refusals = refused?.problems.map(({ field: column = null, message: why }) => ({
    column,
    done: 'refused' as const,
    why,
  }));
  const registrar = form.registrar ?? values.registrar;
  for (const { column, ...finding } of refusals ?? noted) {
    const isShown = column !== null && !kind.columns[column]?.isSecret;
    const value = isShown ? values[column] : null;
    staging.findings.add({ file, line, key: keyOfRow(), column, value, registrar, ...finding });
  }
  return refusals !== undefined;
}

/** Returns the function's value; a refusal that it throws becomes one of the column. */
function inColumn<Value>(column: string, work: () => Value): Value {
  const value = orRefusal(work);
  if (value instanceof RegistryError) throw refusal(value.message, column);
  return value;
}

function stageRow(move: KindMove, row: FileForm): void {
  const { staging, kind, now } = move;
  const form: Form = {};
  const knownKey = () => (kind.key.every((column) => form[column]) ? keyOf(kind, form) : null);
  const isRefused = examine(move, row, form, knownKey, (note) => {
    readForm(move, row, form, note);
    tellApart(move, form, note);
    takeValues(move, form);
    for (const { column, why } of kind.carried?.(form, now) ?? []) {
      note(column, 'carried', why);
    }
  });
  const key = knownKey();
  if (key === null) return;
  const isRepeated = staging.rows(kind).get(key) !== undefined;
  // A good row replaces one that was refused.
  const { line, values } = row;
  const known = { line, text: values[kind.key[0]!]!, incoming: isRefused ? null : form };
  staging.update(kind, key, { isRepeated, ...(!(isRepeated && isRefused) && known) });
}

/** Reads the columns to the form, the key first. */
function readForm(move: KindMove, { values }: FileForm, form: Form, note: Note): void {
  const { kind } = move;
  for (const column of new Set([...kind.key, ...Object.keys(kind.columns)])) {
    const text = values[column];
    if (text === undefined) continue;
    const { read, refersTo } = kind.columns[column]!;
    const reader = refersTo ? referenceReader(move, read, refersTo) : read;
    const value = inColumn(column, () => reader(text, (why) => note(column, 'changed', why)));
    if (value !== undefined) form[column] = value;
    else if (kind.key.includes(column) && column !== kind.apart?.column) {
      throw refusal('is missing', column);
    }
  }
  kind.check?.(form);
}

/**
 * Reads the key of a row of another kind. The registrar for orphans replaces one that is gone, if rows of the kind may be
 * orphans.
 */
function referenceReader(
  { staging, kind, orphansTo }: KindMove,
  read: ReadText,
  { name, one }: NonNullable<KindColumn['refersTo']>,
): ReadText {
  return (text, note) => {
    const key = orRefusal(() => read(text, note));
    const found = typeof key === 'string' ? staging.rows({ name }).get(key) : undefined;
    if (found?.line && !found.isExpected) throw refusal(whyAbsent(name, found));
    const why = found?.isExpected ? whyAmbiguous(name, found, text) : `there is no such ${one}`;
    if (why === undefined) return key as string;
    if (!kind.mayBeOrphan || orphansTo === undefined) throw refusal(why);
    note(`${why}; it is now with ${orphansTo}`);
    return orphansTo;
  };
}

/** Says why a key is ambiguous: two lines of its file differ only in case, and this text is not the one that counts. */
function whyAmbiguous(
  name: string,
  found: StagedRow | undefined,
  text: string | null,
): string | undefined {
  if (!found?.isRepeated || found.text === text) return undefined;
  return `another line of ${name}.csv has the same in upper case`;
}

/** Says why there is no row with a key. */
export function whyAbsent(name: string, found: StagedRow | undefined): string {
  if (found?.line) return `its row in ${name}.csv is not moved in`;
  return `there is no such row in ${name}`;
}

/** Completes the key of a row until no earlier row has it, for a kind whose rows may lack a part of their key. */
function tellApart({ staging, kind }: KindMove, form: Form, note: Note): void {
  if (!kind.apart) return;
  const { column, next } = kind.apart;
  const isRepeated = () => staging.rows(kind).get(keyOf(kind, form))?.incoming;
  if (form[column] === undefined) {
    form[column] = next(form);
    note(column, 'changed', 'made here because none is taken from the file');
  } else if (isRepeated()) {
    note(column, 'changed', 'is now later, because an earlier line has the same');
  }
  while (isRepeated()) form[column] = next(form);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function takeValues({ staging, kind }: KindMove, form: Form): void {
  const key = keyOf(kind, form);
  if (staging.rows(kind).get(key)?.incoming) {
    throw refusal('an earlier line has the same', kind.key[0]);
  }
  const values = uniqueValues(kind, form);
  const taken = values.find(({ text }) => staging.taken.get(`${kind.name} ${text}`) !== undefined);
  if (taken) {
    const also = Object.entries(taken.where).map(([name, value]) => ` and the ${name} ${value}`);
    throw refusal(`an earlier line has the same${also.join('')}`, taken.columns[0]);
  }
  for (const { text } of values) staging.taken.set(`${kind.name} ${text}`, key);
}

function stageElement(move: KindMove, row: FileForm): void {
  const { staging, kind } = move;
  const part = kind.part!;
  const [own, other] = Object.keys(part.columns) as [string, string];
  const form: Form = {};
  const knownKey = () => placeIn(part, form).key;
  examine(move, row, form, knownKey, (note) => {
    let isChanged = false;
    for (const [column, read] of Object.entries(part.columns)) {
      const onChange = (why: string) => {
        const isReference = column === own || part.refersTo !== undefined;
        if (isReference) return;
        note(column, 'changed', why);
        isChanged = true;
      };
      form[column] = inColumn(column, () => read(row.values[column] ?? null, onChange)) ?? null;
    }
    const { key, column, element } = placeIn(part, form) as Record<
      'key' | 'column' | 'element',
      string
    >;
    // Whether the row that it belongs to will be there is known later.
    const found = staging.rows(kind).get(key);
    const whyNotOwn = whyAmbiguous(kind.name, found, row.values[own]!);
    if (whyNotOwn !== undefined) throw refusal(whyNotOwn, own);
    const whyNotOther =
      part.refersTo && whyNoReference(staging, part.refersTo, element, row.values[other]!);
    if (whyNotOther !== undefined) throw refusal(whyNotOther, other);
    const elements = found?.elements ?? [];
    const known = elements.filter(({ list }) => list === column);
    if (column === part.single && known.some((each) => each.element !== element)) {
      throw refusal(`an earlier line has another ${column}`, other);
    }
    if (!known.some((each) => each.element === element)) {
      const added = { list: column, element, line: row.line };
      staging.update(kind, key, { elements: [...elements, added] });
    } else if (!isChanged) throw refusal('an earlier line has the same', other);
  });
}

/** Says why a reference is refused. One to a row that is a conflict is not: the row that refers to it is a conflict, too. */
function whyNoReference(
  staging: Staging,
  name: string,
  key: string,
  text: string,
): string | undefined {
  const found = staging.rows({ name }).get(key);
  const isGood = found?.isExpected || found?.incoming;
  return whyAmbiguous(name, found, text) ?? (isGood ? undefined : whyAbsent(name, found));
}
