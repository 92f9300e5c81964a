import { orRefusal, RegistryError } from '../../base/error.ts';
import { columnsNamed } from '../files/format.ts';
import { readRows } from '../files/read.ts';
import type { Directory } from './directory.ts';
import { type Form, type Kind, keyOf, uniqueValues } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { refusal } from './kinds/reader.ts';
import { addressKind, noAddress, registrarKind } from './kinds/registrars.ts';
import { valuesMadeHere } from './kinds/rows.ts';
import type { Staging } from './staging.ts';

/** Why a row is refused that nobody could use; the cron may have removed it. */
export const isOver = 'is over';

const isMadeHere = 'made here because none is taken from the file';

/** Columns that neither the report nor the terminal shows. */
const secrets = [
  'password',
  'secret_digest',
  'previous_secret_digest',
  'registration_code',
  'auth_info',
];

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
  now: Date;
  /** The registrar that gets what belonged to one that is gone. */
  orphansTo?: string | undefined;
}

type KindMove = Move & { kind: Kind };

/** A row of a file. An empty field is null. */
interface FileForm {
  line: number;
  values: Form;
  problem?: string;
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
      for await (const row of formsOf(directory, kind)) {
        for (const finding of stageRow({ ...move, kind }, row)) {
          isInDoubt ||= kind === addressKind && finding.done === 'refused';
          yield finding;
        }
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

async function* formsOf({ fileOf, ignored }: Directory, kind: Kind): AsyncGenerator<FileForm> {
  const { name, columns, key, required = [], apart } = kind;
  const needed = [...key, ...required].filter((column) => column !== apart?.column);
  const known = columnsNamed(Object.keys(columns), needed);
  const onUnknown = (column: string) => ignored.push(`${name}.csv: ${column}`);
  for await (const { values, ...row } of readRows(fileOf(name), 'csv', known, onUnknown)) {
    const texts = Object.entries(values).map(([column, text]) => [column, text || null]);
    yield { values: Object.fromEntries(texts), ...row };
  }
}

/** Reads a row to the staging, and returns what is noted about it; or, if it is refused, that alone. */
function stageRow(move: KindMove, { line, values, problem }: FileForm): Finding[] {
  const { staging, kind, now } = move;
  const { name: file, end, part } = kind;
  let form: Form = {};
  let noted: Noted[] = [];
  const note: Note = (column, done, why) => noted.push({ column, done, why });
  const refused = orRefusal(() => {
    if (problem !== undefined) throw refusal(problem);
    readForm(move, values, form, note);
    form = kind.check?.(form) ?? form;
    tellApart(move, form, note);
    takeValues(move, form, noted.length > 0);
    for (const { column, why } of kind.carried?.(form, now) ?? []) note(column, 'carried', why);
  });
  const last = refused || !end ? null : form[end.column];
  const isEnded = last != null && end!.isOver(last, now);
  if (refused) {
    const [{ field = null, message }] = refused.problems;
    noted = [{ column: field, done: 'refused', why: message }];
  } else if (isEnded) {
    noted.push({ column: end!.column, value: last, done: 'refused', why: isOver });
  } else {
    for (const column of Object.keys(valuesMadeHere(kind, form, now))) {
      noted.push({ column, value: null, done: 'changed', why: isMadeHere });
    }
  }
  const key = kind.key.every((column) => form[column]) ? keyOf(kind, form) : null;
  const registrar = form.registrar ?? values.registrar ?? null;
  const own = kind.key[0]!;
  const place = { file, line, key: part ? (form[own] ?? values[own] ?? null) : key, registrar };
  if (key !== null) {
    staging.set(kind, key, refused || isEnded ? null : form, values[own] ?? null, isEnded);
  }
  return noted.map(({ column, ...finding }) => {
    const isShown = column != null && !secrets.includes(column);
    return { ...place, column, value: isShown ? values[column] : null, ...finding };
  });
}

/** Reads the columns to the form, the key first. */
function readForm(move: KindMove, values: Form, form: Form, note: Note): void {
  const { kind } = move;
  for (const column of new Set([...kind.key, ...Object.keys(kind.columns)])) {
    const text = values[column];
    if (text === undefined) continue;
    const { read, refersTo } = kind.columns[column]!;
    const noteChange = (why: string) => note(column, 'changed', why);
    const value = inColumn(column, () =>
      refersTo ? readReference(move, column, text, noteChange) : read(text, noteChange),
    );
    if (value !== undefined) form[column] = value;
    else if (kind.key.includes(column) && column !== kind.apart?.column) {
      throw refusal('is missing', column);
    }
  }
}

/** Returns the function's value; a refusal that it throws becomes one of the column. */
function inColumn<Value>(column: string, work: () => Value): Value {
  const value = orRefusal(work);
  if (value instanceof RegistryError) throw refusal(value.message, column);
  return value;
}

/** The key of a row of another kind. The registrar for orphans replaces one that is gone, if the kind's rows may be orphans. */
function readReference(
  { staging, kind, orphansTo }: KindMove,
  column: string,
  text: string | null,
  note: (why: string) => void,
): string {
  const { read, refersTo } = kind.columns[column]!;
  const { kind: other, ifMissing } = refersTo!;
  const key = orRefusal(() => read(text, () => {}));
  if (key instanceof RegistryError && kind.part) throw key;
  const found = typeof key === 'string' ? staging.find(other, key) : undefined;
  if (found && !found.isGood) throw refusal(`its row in ${other}.csv is not moved in`);
  const isOtherLine = found?.isRepeated && found.text !== text;
  const ambiguous = `another line of ${other}.csv has the same in upper case`;
  const why = isOtherLine ? ambiguous : found ? undefined : ifMissing;
  if (why === undefined) return key as string;
  if (!kind.mayBeOrphan || orphansTo === undefined) throw refusal(why);
  note(`${why}; it is now with ${orphansTo}`);
  return orphansTo;
}

/** Completes the key of a row until no earlier row has it, for a kind whose rows may lack a part of their key. */
function tellApart({ staging, kind }: KindMove, form: Form, note: Note): void {
  if (!kind.apart) return;
  const { column, next } = kind.apart;
  const isRepeated = () => staging.find(kind.name, keyOf(kind, form))?.isGood;
  if (form[column] === undefined) {
    form[column] = next(form);
    note(column, 'changed', isMadeHere);
  } else if (isRepeated()) {
    note(column, 'changed', 'is now later, because an earlier line has the same');
  }
  while (isRepeated()) form[column] = next(form);
}

/** Refuses a row whose key, or another value that no two rows share, is that of an earlier one. */
function takeValues({ staging, kind }: KindMove, form: Form, isChanged: boolean): void {
  const { name, key, part } = kind;
  if (staging.find(name, keyOf(kind, form))?.isGood) {
    // Several elements may have become the same.
    if (part && isChanged) return;
    throw refusal('an earlier line has the same', part ? key[1] : key[0]);
  }
  const values = uniqueValues(kind, form);
  const taken = values.find(({ text }) => staging.isTaken(`${name} ${text}`));
  if (taken) {
    const { columns, where = {}, why, named = columns[0] } = taken;
    const also = Object.entries(where).map(([column, value]) => ` and the ${column} ${value}`);
    throw refusal(why ?? `an earlier line has the same${also.join('')}`, named);
  }
  for (const { text } of values) staging.take(`${name} ${text}`);
}

/** Says which registrars may call from everywhere or from nowhere, and closes those that a refused row was perhaps for. */
function* closeRegistrars(staging: Staging, isInDoubt: boolean): Generator<Finding> {
  for (const { code } of [...staging.forms(registrarKind).chunks(1_000)].flat()) {
    const place = { file: addressKind.name, key: code! };
    const addresses = staging.owned(addressKind, code!).map(({ address }) => address);
    if (addresses.length === 0 && isInDoubt) {
      const form = { registrar: code!, address: noAddress };
      staging.set(addressKind, keyOf(addressKind, form), form, null);
      const why = `has no row while another is refused; it is now ${noAddress}, which nobody has`;
      yield { ...place, done: 'changed', why };
    } else if (addresses.length === 0) {
      yield { ...place, done: 'carried', why: 'has no row: open to every address' };
    } else if (addresses.every((address) => address === noAddress)) {
      yield { ...place, done: 'carried', why: `has only ${noAddress}, which nobody has` };
    }
  }
}
