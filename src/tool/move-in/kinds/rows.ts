import { sql } from 'drizzle-orm';
import { everyRow } from '../../../base/database/every-row.ts';
import { jsonArrays, rowsIn } from '../../../base/database/json-rows.ts';
import type { Database } from '../../../base/database/open.ts';
import { difference, registrarsSubjects } from '../../../change/history/changes.ts';
import { type ChangesOfMany, changeEach, type Origin } from '../../../change/write.ts';
import type { Form, Kind, Lists } from './kind.ts';

const pageRows = 2_000;

/** The forms of all rows of the kind, in no particular order. */
export async function* readForms(db: Database, kind: Kind): AsyncGenerator<Form> {
  const { columns, from, place } = kind;
  const texts = Object.entries(columns).map(
    ([name, { text }]) => sql`${text} as ${sql.identifier(name)}`,
  );
  const rows = everyRow<Form & { place: number }>(
    ({ after, limit }) =>
      db.all(sql`select ${place} as place, ${sql.join(texts, sql`, `)} from ${from}
        and ${place} > ${after?.place ?? 0} order by ${place} limit ${limit}`),
    pageRows,
  );
  for await (const { place: _, ...form } of rows) yield form;
}

/** Adds rows with their lists, each with its entry of history, all in one batch. */
export async function addForms(
  db: Database,
  origin: Origin,
  kind: Kind,
  forms: readonly { form: Form; lists?: Lists }[],
): Promise<void> {
  const { at } = origin.request;
  const { subject, action = 'create', insert } = kind.stored!;
  const isRegistrars = registrarsSubjects.some((one) => one === subject);
  const added = jsonArrays(forms.map(({ form, lists }) => rowOf(kind, form, lists, at))).map(
    (array): ChangesOfMany => {
      const rows = {
        key: sql`row ->> 'key'`,
        uuid: sql`row ->> 'uuid'`,
        registrar: isRegistrars ? sql`row ->> 'registrar'` : null,
        changes: sql`row -> 'changes'`,
        source: sql`from (${rowsIn(array)})`,
      };
      return { subject, action, rows, statements: insert(db, rowsIn(array), at) };
    },
  );
  await changeEach(db, origin, { added });
}

/** Times of a row that the file may not give. */
const times = {
  created_at: (at: string) => at,
  updated_at: (at: string, { created_at }: Form) => created_at ?? at,
};

/** The values of a new row that the file does not give, and that are made here. */
export function valuesMadeHere({ columns, missing }: Kind, form: Form, now: Date): Form {
  const lacking = Object.entries({ ...missing, ...times }).filter(
    ([name]) => name in columns && !(name in form),
  );
  return Object.fromEntries(lacking.map(([name, make]) => [name, make(now.toISOString(), form)]));
}

/** A row with all columns: what the file does not give is made here, or is empty. */
export function completeForm(kind: Kind, form: Form, now: Date): Form {
  const given = { ...form, ...valuesMadeHere(kind, form, now) };
  const columns = Object.entries(kind.columns).map(([name, { read }]) => [
    name,
    name in given ? given[name] : (read(null, () => {}) ?? null),
  ]);
  return Object.fromEntries(columns);
}

/** The JSON of a row for the noun, with what the history needs beside it. */
function rowOf({ key, columns, stored }: Kind, form: Form, lists: Lists = {}, at: Date) {
  const { subjectKey = key[0]!, derived, recorded } = stored!;
  const row: Record<string, unknown> = {};
  const shown: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(columns)) {
    const text = form[name] ?? null;
    row[column.field] = column.stored?.(text) ?? text;
    shown[column.field] = text === null ? null : (column.recorded?.(text) ?? text);
  }
  const all = { ...shown, ...lists };
  return {
    ...row,
    ...lists,
    ...derived?.(form),
    key: form[subjectKey],
    changes: difference({}, recorded?.(all) ?? all),
    // The version is one that no other rehearsal has given, nor the registry itself.
    version: at.getTime(),
  };
}
