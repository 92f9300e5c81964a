import { type SQL, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import { everyRow } from '../database/every-row.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import { registrarsSubjects } from '../history/changes.ts';
import { isOfKind } from './conditions.ts';
import type { Form, Kind } from './kind.ts';

const pageRows = 2_000;

/** The forms of all rows of the kind, in no particular order. */
export async function* readForms(db: Database, kind: Kind): AsyncGenerator<Form> {
  const rowid = sql`${kind.table}.rowid`;
  const rows = everyRow<Form & { place: number }>(
    ({ after, limit }) =>
      db.all(sql`select ${rowid} as place, ${textsOf(kind)} from ${kind.table}
        where ${rowid} > ${after?.place ?? 0} and ${isOfKind(kind)} order by ${rowid} limit ${limit}`),
    pageRows,
  );
  for await (const { place: _, ...form } of rows) yield form;
}

function textsOf({ columns }: Kind): SQL {
  const texts = Object.entries(columns).map(
    ([name, { text }]) => sql`${text} as ${sql.identifier(name)}`,
  );
  return sql.join(texts, sql`, `);
}

/** The key of a row in the history, and the registrar whose row it is. */
export function historyKeyOf({ subject, key, subjectKey }: Kind, form: Form) {
  const isRegistrars = registrarsSubjects.some((one) => one === subject);
  return {
    key: form[subjectKey ?? key[0]!]!,
    uuid: form.uuid ?? null,
    registrar: isRegistrars ? form.registrar : null,
  };
}

/**
 * The type of the actor of each row's newest entry in the history, in their order; null for rows without any. What the
 * scheduled run does is nobody's change.
 */
export async function newestActors(
  db: Database,
  kind: Kind,
  forms: readonly Form[],
): Promise<(string | null)[]> {
  const { isAbout = sql`true` } = kind;
  const subjects = JSON.stringify(
    forms.map((form) => ({ ...(kind.isAbout && form), ...historyKeyOf(kind, form) })),
  );
  const isMeant = sql`entry.subject = ${kind.subject} and entry.subject_key = row.value ->> 'key' and ${isAbout}`;
  // A contact that was deleted may come back under another code.
  const isSameContact = sql`entry.subject = 'contact' and entry.subject_uuid = row.value ->> 'uuid'`;
  const actors = [
    sql`(select entry.actor_type from ${history} as entry where ${isMeant} and entry.actor_type <> 'cron'
      order by entry.id desc limit 1)`,
    ...(kind.subject === 'contact'
      ? [
          sql`(select iif(entry.action = 'delete', entry.actor_type, null) from ${history} as entry
            where ${isSameContact} and entry.action <> 'update' order by entry.id desc limit 1)`,
        ]
      : []),
  ];
  const rows = await retried(() =>
    db.all<{ actor: string | null }>(sql`
      select coalesce(${sql.join(actors, sql`, `)}, null) as actor
      from json_each(${subjects}) as row order by row.key`),
  );
  return rows.map(({ actor }) => actor);
}
