import { type SQL, sql } from 'drizzle-orm';
import { contacts, history } from '../../drizzle/schema.ts';

/*
 * A contact keeps its code while it exists, but may come back under another: its UUID tells which entries of the history
 * are about it. The index by UUID has only the entries that give or take a code, so that an update writes no row more;
 * they lead to the others.
 */

function codesOf(uuid: SQL): SQL {
  return sql`select stay.subject_key from ${history} as stay
    where stay.subject = 'contact' and stay.action <> 'update' and stay.subject_uuid = ${uuid}`;
}

/** Whatever the contact's code was. */
export function isAboutContact(uuid: SQL): SQL {
  // Earlier builds archived entries, so the one that gave it may be gone.
  const code = sql`select present.code from ${contacts} as present where present.uuid = ${uuid}`;
  return sql`history.subject = 'contact' and history.subject_uuid = ${uuid}
    and history.subject_key in (${code} union all ${codesOf(uuid)})`;
}

/**
 * The same as two halves of a `union all` in the order of ids: SQLite has the entries under one code in that order, and
 * sorts those under other codes, which hardly any contact has.
 */
export function conditionsByCode(uuid: SQL, code: SQL): Record<'underCode' | 'underOthers', SQL> {
  const isAbout = sql`${history.subject} = 'contact' and ${history.subjectUuid} = ${uuid}`;
  const others = sql`${codesOf(uuid)} and stay.subject_key <> ${code}`;
  return {
    underCode: sql`${isAbout} and ${history.subjectKey} = ${code}`,
    underOthers: sql`${isAbout} and ${history.subjectKey} in (${others})`,
  };
}

/** Whether an entry is the last deletion of a contact that has not come back since. */
export const isLastDeletion = sql`history.subject = 'contact' and history.action = 'delete'
  and not exists (select 1 from ${contacts} as present where present.uuid = history.subject_uuid)
  and not exists (select 1 from ${history} as later
    where later.subject = 'contact' and later.action <> 'update' and later.subject_uuid = history.subject_uuid
      and later.id > history.id)`;
