import { orRefusal, RegistryError } from '../../base/error.ts';
import { columnsNamed, type FileRow } from '../files/format.ts';
import { readRows } from '../files/read.ts';
import type { openDirectory } from './directory.ts';
import { type Form, formKey, type Kind } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { isOver, refusal } from './kinds/reader.ts';
import { addressKind, noAddress, registrarKind } from './kinds/registrars.ts';
import { defaultsOf } from './kinds/rows.ts';

const isMadeHere = 'made here because none is taken from the file';

/** Columns that neither the report nor the terminal shows. */
const secrets = 'password registration_code auth_info'.split(' ');

export const findingColumns = 'file line key column value done why registrar'.split(' ');

export interface Finding {
  /** The file's name without `.csv`. */
  file: string;
  line?: number;
  key: string | null;
  column?: string | null;
  value?: string | null;
  done: 'carried' | 'changed' | 'refused';
  /** The reason, without values. Findings are counted by reason. */
  why: string;
  /** The registrar that gets the row, or, for a row refused early, the one in its line. */
  registrar?: string | null;
}

export interface Line {
  /** The last accepted row, and its key as written. */
  form: Form | undefined;
  text: string | null;
  isRepeated?: boolean;
  /** The last row has ended. */
  isOver?: boolean;
}

interface Move {
  lines: Record<string, Map<string, Line>>;
  taken: Set<string>;
  /** The registrar that gets the rows of unknown registrars. */
  fallbackRegistrar: string | undefined;
}

type Noted = Pick<Finding, 'column' | 'done' | 'why' | 'value'>;
type Note = (column: string, done: Finding['done'], why: string) => void;

/**
 * Reads the files into memory. Throws `malformed` for a file without its key columns, and
 * `not_found` for the fallback registrar.
 */
export async function stageFiles(
  directory: ReturnType<typeof openDirectory>,
  fallbackRegistrar: string | undefined,
) {
  const lines = Object.fromEntries(kinds.map(({ name }) => [name, new Map<string, Line>()]));
  const move: Move = { lines, taken: new Set(), fallbackRegistrar };
  const findings: Finding[] = [];
  for (const kind of kinds) {
    if (directory.has(kind.name)) {
      const { fileOf, ignored } = directory;
      const columns = columnsNamed(Object.keys(kind.columns), requiredColumns(kind));
      const onUnknown = (column: string) => ignored.push(`${kind.name}.csv: ${column}`);
      for await (const row of readRows(fileOf(kind.name), columns, {
        onUnknown,
        isVerbatim: true,
      })) {
        findings.push(...stageRow(move, kind, row));
      }
    }
    if (kind !== registrarKind || fallbackRegistrar === undefined) continue;
    if (!lines.registrars!.get(fallbackRegistrar)?.form) {
      const message = `there is no registrar ${JSON.stringify(fallbackRegistrar)}`;
      throw new RegistryError('not_found', message, 'fallback_registrar');
    }
  }
  findings.push(...closeRegistrars(move, findings));
  return { lines, findings };
}

export function formsIn(lines: Move['lines'], { name }: Kind): Form[] {
  return [...lines[name]!.values()].flatMap(({ form }) => (form ? [form] : []));
}

function requiredColumns({ key, required = [], nextTime }: Kind): string[] {
  return [...key, ...required].filter((column) => !nextTime || column !== 'created_at');
}

/** Returns the row's notes, or its refusal alone. */
function stageRow(move: Move, kind: Kind, { line, values: texts, problem }: FileRow): Finding[] {
  const values: Form = Object.fromEntries(
    Object.entries(texts).map(([column, text]) => [column, text || null]),
  );
  let form: Form = {};
  let noted: Noted[] = [];
  const note: Note = (column, done, why) => noted.push({ column, done, why });
  const refused = orRefusal(() => {
    if (problem !== undefined) throw refusal(problem);
    readForm(move, kind, { values, form, note });
    form = kind.check?.(form, note) ?? form;
    makeKeyUnique(move, kind, form, note);
    claimUniqueValues(move, kind, form, noted.length > 0);
  });
  if (refused) {
    const [{ field = null, message }] = refused.problems;
    noted = [{ column: field, done: 'refused', why: message }];
  } else {
    for (const column of Object.keys(defaultsOf(kind)).filter((name) => !(name in form))) {
      noted.push({ column, value: null, done: 'changed', why: isMadeHere });
    }
  }
  const key = kind.key.every((column) => form[column]) ? formKey(kind, form) : null;
  const own = kind.key[0]!;
  if (key !== null) {
    const lines = move.lines[kind.name]!;
    const known = lines.get(key);
    lines.set(key, {
      // Parsed again, a form takes a third of the memory: rows share their shape and their short texts.
      form: refused ? known?.form : JSON.parse(JSON.stringify(form)),
      text: refused && known ? known.text : (values[own] ?? null),
      isRepeated: known !== undefined,
      isOver: refused?.message === isOver,
    });
  }
  const row = {
    ...{ file: kind.name, line, key: kind.part ? (form[own] ?? values[own] ?? null) : key },
    registrar: form.registrar ?? values.registrar ?? null,
  };
  return noted.map(({ column, ...finding }) => {
    const isShown = column != null && !secrets.includes(column);
    return { ...row, column, value: isShown ? values[column] : null, ...finding };
  });
}

function readForm(
  move: Move,
  kind: Kind,
  { values, form, note }: { values: Form; form: Form; note: Note },
): void {
  const required = requiredColumns(kind);
  const defaults = defaultsOf(kind);
  for (const column of new Set([...kind.key, ...Object.keys(kind.columns)])) {
    const text = values[column];
    if (text === undefined) continue;
    const { read, empty, refersTo } = kind.columns[column]!;
    const value = orRefusal(() => {
      const noteChange = (why: string) => note(column, 'changed', why);
      if (refersTo) return readReference(move, kind, column, { text, note: noteChange });
      if (text !== null) return read(text, noteChange);
      if (required.includes(column)) throw refusal('is missing');
      return column in defaults ? undefined : empty;
    });
    if (value instanceof RegistryError) throw refusal(value.message, column);
    if (value !== undefined) form[column] = value;
  }
}

/** The fallback registrar replaces an unknown one, if the kind allows it. */
function readReference(
  { lines, fallbackRegistrar }: Move,
  { columns, part, mayFallBack }: Kind,
  column: string,
  { text, note }: { text: string | null; note: (why: string) => void },
): string {
  const { read, refersTo } = columns[column]!;
  const { kind: other, ifMissing } = refersTo!;
  const key = orRefusal(() => {
    if (text === null) throw refusal('is missing');
    // A change of a key is noted at its own row.
    return read(text, () => {});
  });
  if (key instanceof RegistryError && part) throw key;
  const found = typeof key === 'string' ? lines[other]!.get(key) : undefined;
  if (found && !found.form) throw refusal(`its row in ${other}.csv is not moved in`);
  const isOtherLine = found?.isRepeated && found.text !== text;
  const ambiguous = `another line of ${other}.csv has the same in upper case`;
  const why = isOtherLine ? ambiguous : found ? undefined : ifMissing;
  if (why === undefined) return key as string;
  if (!mayFallBack || fallbackRegistrar === undefined) throw refusal(why);
  note(`${why}; it is now with ${fallbackRegistrar}`);
  return fallbackRegistrar;
}

/** For a kind whose rows may lack a part of their key. */
function makeKeyUnique({ lines }: Move, kind: Kind, form: Form, note: Note): void {
  if (!kind.nextTime) return;
  const isTaken = () => lines[kind.name]!.get(formKey(kind, form))?.form;
  if (form.created_at === undefined) {
    form.created_at = kind.nextTime(form);
    note('created_at', 'changed', isMadeHere);
  } else if (isTaken()) {
    note('created_at', 'changed', 'is now later, because an earlier line has the same');
  }
  while (isTaken()) form.created_at = kind.nextTime(form);
}

function claimUniqueValues(
  { lines, taken }: Move,
  kind: Kind,
  form: Form,
  isChanged: boolean,
): void {
  const { name, key, part, unique, ifTaken = 'an earlier line has the same' } = kind;
  if (lines[name]!.get(formKey(kind, form))?.form) {
    // Several elements may have become equal.
    if (part && isChanged) return;
    throw refusal('an earlier line has the same', part ? key[1] : key[0]);
  }
  const values = Object.entries(unique?.(form) ?? {}).filter(([, value]) => value !== null);
  const claimOf = ([column, value]: (typeof values)[number]) => `${name} ${column} ${value}`;
  const [column] = values.find((value) => taken.has(claimOf(value))) ?? [];
  if (column !== undefined) throw refusal(ifTaken, column);
  for (const value of values) taken.add(claimOf(value));
}

/** Closes registrars that a refused row may have been for. */
function closeRegistrars({ lines }: Move, findings: readonly Finding[]): Finding[] {
  const { name: file } = addressKind;
  const isInDoubt = findings.some((one) => one.file === file && one.done === 'refused');
  const addresses = Map.groupBy(formsIn(lines, addressKind), ({ registrar }) => registrar);
  return formsIn(lines, registrarKind).flatMap(({ code: key }): Finding[] => {
    const own = addresses.get(key!) ?? [];
    if (own.some(({ address }) => address !== noAddress)) return [];
    if (own.length > 0) {
      return [{ file, key: key!, done: 'carried', why: `has only ${noAddress}, which nobody has` }];
    }
    if (!isInDoubt)
      return [{ file, key: key!, done: 'carried', why: 'has no row: open to every address' }];
    const form = { registrar: key!, address: noAddress };
    lines[file]!.set(formKey(addressKind, form), { form, text: null });
    const why = `has no row while another is refused; it is now ${noAddress}, which nobody has`;
    return [{ file, key: key!, done: 'changed', why }];
  });
}
