import { sql } from 'drizzle-orm';
import { everyRow } from '../../../base/database/every-row.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { difference, registrarsSubjects } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import { changeEach, changesOfRows } from '../../../change/write-many.ts';
import type { Form, Kind, PartLists } from './kind.ts';

const pageRows = 2_000;

export async function* readForms(db: Database, kind: Kind): AsyncGenerator<Form> {
  const { columns, from, number } = kind;
  const texts = Object.entries(columns).map(
    ([name, { text }]) => sql`${text} as ${sql.identifier(name)}`,
  );
  const rows = everyRow<Form & { number: number }>(
    ({ after, limit }) =>
      db.all(sql`select ${number} as number, ${sql.join(texts, sql`, `)} from ${from}
        and ${number} > ${after?.number ?? 0} order by ${number} limit ${limit}`),
    pageRows,
  );
  for await (const { number: _, ...form } of rows) yield form;
}

/** Adds rows with their lists and entries of history in one batch. */
export async function addForms(
  operation: Operation,
  kind: Kind,
  forms: readonly { form: Form; lists?: PartLists }[],
): Promise<void> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const { subject, action = 'create' } = kind;
  const hasRegistrar = registrarsSubjects.some((one) => one === subject);
  const added = jsonArrays(forms.map(({ form, lists }) => rowOf(kind, form, lists, at))).map(
    (array) => {
      const rows = rowsIn(array);
      const changes = changesOfRows(subject!, action, rows, kind.insert!(db, rows, at));
      return hasRegistrar ? changes : { ...changes, registrar: null };
    },
  );
  await changeEach(operation, { added });
}

export function defaultsOf({ defaults, columns }: Kind) {
  const all: Record<string, (at: string, form: Form) => string> = {
    ...defaults,
    created_at: (at) => at,
    updated_at: (at, { created_at }) => created_at ?? at,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in columns));
}

export function completeForm(kind: Kind, form: Form, at: Date): Form {
  const defaults = defaultsOf(kind);
  const columns = Object.entries(kind.columns).map(([name, { empty }]) => [
    name,
    name in form ? form[name] : (defaults[name]?.(at.toISOString(), form) ?? empty ?? null),
  ]);
  return Object.fromEntries(columns);
}

/** The row to insert by field, and the key, changes and version of its history entry. */
function rowOf(kind: Kind, form: Form, partLists: PartLists = {}, at: Date) {
  const columns = Object.entries(kind.columns);
  const stored = columns.map(([name, { field }]) => [field, form[name] ?? null]);
  const recorded = columns.map(([name, { field, recorded: asRecorded = same }]) => {
    return [field, form[name] == null ? null : asRecorded(form[name])];
  });
  const all = { ...Object.fromEntries(recorded), ...partLists };
  return {
    ...Object.fromEntries(stored),
    ...partLists,
    ...kind.derived?.(form),
    key: form[kind.subjectKey ?? kind.key[0]!],
    changes: difference({}, kind.recorded?.(all) ?? all),
    // The time is a version that is new for every rehearsal and for the registry itself.
    version: at.getTime(),
  };
}

const same = (text: string): unknown => text;
