import { orRefusal, RegistryError } from '../../base/error.ts';
import { columnsNamed, type FileRow } from '../files/format.ts';
import { readRows } from '../files/read.ts';
import type { Directory } from './directory.ts';
import { type Form, type Kind, keyOf } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { isOver, refusal } from './kinds/reader.ts';
import { addressKind, noAddress, registrarKind } from './kinds/registrars.ts';
import { makersOf } from './kinds/rows.ts';
import type { Staging } from './staging.ts';

const isMadeHere = 'made here because none is taken from the file';

/** Columns that neither the report nor the terminal shows. */
const secrets = 'password secret_digest previous_secret_digest registration_code auth_info'.split(
  ' ',
);

export const findingColumns = 'file line key column value done why registrar'.split(' ');

/** A line of the report about a value or a row of the files. */
export interface Finding {
  /** Its name without `.csv`. */
  file: string;
  line?: number;
  key: string | null;
  column?: string | null;
  value?: string | null;
  done: 'carried' | 'changed' | 'refused';
  /** The reason, without values: findings with the same one are counted together. */
  why: string;
  /** The registrar that gets the row; if the row is refused before that is known, the one that its line names. */
  registrar?: string | null;
}

/** Files that are read. */
export interface Move {
  staging: Staging;
  directory: Directory;
  /** The registrar that gets what belonged to one that is gone. */
  orphansTo?: string | undefined;
}

type Noted = Pick<Finding, 'column' | 'done' | 'why' | 'value'>;
/** Notes something about a row that is not refused. */
type Note = (column: string, done: Finding['done'], why: string) => void;

/**
 * Reads the files to the staging, and yields what is found in them. Throws `malformed` for a file whose rows cannot be told
 * apart, and `not_found` for the registrar of orphans.
 */
export async function* stageFiles(move: Move): AsyncGenerator<Finding> {
  const { staging, directory, orphansTo } = move;
  let isInDoubt = false;
  for (const kind of kinds) {
    if (directory.has(kind.name)) {
      const { fileOf, ignored } = directory;
      const columns = columnsNamed(Object.keys(kind.columns), requiredColumns(kind));
      const onUnknown = (column: string) => ignored.push(`${kind.name}.csv: ${column}`);
      for await (const row of readRows(fileOf(kind.name), 'csv', columns, onUnknown)) {
        const findings = stageRow(move, kind, row);
        isInDoubt ||= kind === addressKind && findings.some(({ done }) => done === 'refused');
        yield* findings;
      }
    }
    if (kind !== registrarKind || orphansTo === undefined) continue;
    if (!staging.find('registrars', orphansTo)?.isGood) {
      const message = `there is no registrar ${JSON.stringify(orphansTo)}`;
      throw new RegistryError('not_found', message, 'orphans_to');
    }
  }
  if (directory.has(addressKind.name)) yield* closeRegistrars(staging, isInDoubt);
}

function requiredColumns({ key, required = [], nextTime }: Kind): string[] {
  return [...key, ...required].filter((column) => !nextTime || column !== 'created_at');
}

/** Reads a row to the staging, and returns what is noted about it; or, if it is refused, that alone. */
function stageRow(move: Move, kind: Kind, { line, values: texts, problem }: FileRow): Finding[] {
  const { name: file, part } = kind;
  const values: Form = Object.fromEntries(
    Object.entries(texts).map(([column, text]) => [column, text ? String(text) : null]),
  );
  let form: Form = {};
  let noted: Noted[] = [];
  const note: Note = (column, done, why) => noted.push({ column, done, why });
  const refused = orRefusal(() => {
    if (problem !== undefined) throw refusal(problem);
    readForm(move, kind, values, form, note);
    form = kind.check?.(form) ?? form;
    tellApart(move, kind, form, note);
    takeValues(move, kind, form, noted.length > 0);
    for (const { column, why } of kind.carried?.(form) ?? []) note(column, 'carried', why);
  });
  if (refused) {
    const [{ field = null, message }] = refused.problems;
    noted = [{ column: field, done: 'refused', why: message }];
  } else {
    for (const column of Object.keys(makersOf(kind)).filter((name) => !(name in form))) {
      noted.push({ column, value: null, done: 'changed', why: isMadeHere });
    }
  }
  const key = kind.key.every((column) => form[column]) ? keyOf(kind, form) : null;
  const registrar = form.registrar ?? values.registrar ?? null;
  const own = kind.key[0]!;
  const place = { file, line, key: part ? (form[own] ?? values[own] ?? null) : key, registrar };
  if (key !== null) {
    const said = { text: values[own] ?? null, isOver: refused?.message === isOver };
    move.staging.set(kind, key, refused ? undefined : form, said);
  }
  return noted.map(({ column, ...finding }) => {
    const isShown = column != null && !secrets.includes(column);
    return { ...place, column, value: isShown ? values[column] : null, ...finding };
  });
}

/** Reads the columns to the form, the key first. */
function readForm(move: Move, kind: Kind, values: Form, form: Form, note: Note): void {
  const required = requiredColumns(kind);
  const makers = makersOf(kind);
  for (const column of new Set([...kind.key, ...Object.keys(kind.columns)])) {
    const text = values[column];
    if (text === undefined) continue;
    const { read, empty, refersTo } = kind.columns[column]!;
    const value = orRefusal(() => {
      const noteChange = (why: string) => note(column, 'changed', why);
      if (refersTo) return readReference(move, kind, column, text, noteChange);
      if (text !== null) return read(text, noteChange);
      if (required.includes(column)) throw refusal('is missing');
      return column in makers ? undefined : empty;
    });
    if (value instanceof RegistryError) throw refusal(value.message, column);
    if (value !== undefined) form[column] = value;
  }
}

/** The key of a row of another kind. The registrar for orphans replaces one that is gone, if the kind's rows may be orphans. */
function readReference(
  { staging, orphansTo }: Move,
  { columns, part, mayBeOrphan }: Kind,
  column: string,
  text: string | null,
  note: (why: string) => void,
): string {
  const { read, refersTo } = columns[column]!;
  const { kind: other, ifMissing } = refersTo!;
  const key = orRefusal(() => {
    if (text === null) throw refusal('is missing');
    return read(text, () => {});
  });
  if (key instanceof RegistryError && part) throw key;
  const found = typeof key === 'string' ? staging.find(other, key) : undefined;
  if (found && !found.isGood) throw refusal(`its row in ${other}.csv is not moved in`);
  const isOtherLine = found?.isRepeated && found.text !== text;
  const ambiguous = `another line of ${other}.csv has the same in upper case`;
  const why = isOtherLine ? ambiguous : found ? undefined : ifMissing;
  if (why === undefined) return key as string;
  if (!mayBeOrphan || orphansTo === undefined) throw refusal(why);
  note(`${why}; it is now with ${orphansTo}`);
  return orphansTo;
}

/** Completes the key of a row until no earlier row has it, for a kind whose rows may lack a part of their key. */
function tellApart({ staging }: Move, kind: Kind, form: Form, note: Note): void {
  if (!kind.nextTime) return;
  const isRepeated = () => staging.find(kind.name, keyOf(kind, form))?.isGood;
  if (form.created_at === undefined) {
    form.created_at = kind.nextTime(form);
    note('created_at', 'changed', isMadeHere);
  } else if (isRepeated()) {
    note('created_at', 'changed', 'is now later, because an earlier line has the same');
  }
  while (isRepeated()) form.created_at = kind.nextTime(form);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function takeValues({ staging }: Move, kind: Kind, form: Form, isChanged: boolean): void {
  const { name, key, part, unique, ifTaken = 'an earlier line has the same' } = kind;
  if (staging.find(name, keyOf(kind, form))?.isGood) {
    // Several elements may have become the same.
    if (part && isChanged) return;
    throw refusal('an earlier line has the same', part ? key[1] : key[0]);
  }
  const taken = unique && staging.take(kind, unique(form));
  if (taken) throw refusal(ifTaken, taken);
}

/** Says which registrars may call from everywhere or from nowhere, and closes those that a refused row was perhaps for. */
function* closeRegistrars(staging: Staging, isInDoubt: boolean): Generator<Finding> {
  for (const { code } of staging.forms(registrarKind)) {
    const place = { file: addressKind.name, key: code! };
    const addresses = staging.owned(addressKind, code!).map(({ address }) => address);
    if (addresses.length === 0 && isInDoubt) {
      const form = { registrar: code!, address: noAddress };
      staging.set(addressKind, keyOf(addressKind, form), form, { text: null });
      const why = `has no row while another is refused; it is now ${noAddress}, which nobody has`;
      yield { ...place, done: 'changed', why };
    } else if (addresses.length === 0) {
      yield { ...place, done: 'carried', why: 'has no row: open to every address' };
    } else if (addresses.every((address) => address === noAddress)) {
      yield { ...place, done: 'carried', why: `has only ${noAddress}, which nobody has` };
    }
  }
}
