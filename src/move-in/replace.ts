import { eq, sql } from 'drizzle-orm';
import { contacts, domainContacts } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import { isIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { retried } from '../database/retry.ts';
import type { ChangesOfMany, Origin } from '../write.ts';
import type { Form, Kind } from './kind.ts';
import {
  changesIn,
  insertion,
  isAsCompared,
  isObstructed,
  isSameKey,
  recording,
  writtenBy,
} from './statements.ts';

/** The rows with the domains that link each contact which is going to be replaced. */
export async function withLinks<Row extends { from: Form | null }>(
  db: Database,
  rows: readonly Row[],
) {
  const codes = JSON.stringify(rows.map(({ from }) => from!.code));
  const links = await retried(() =>
    db
      .select({ code: contacts.code, domain: domainContacts.domainId, role: domainContacts.role })
      .from(contacts)
      .innerJoin(domainContacts, eq(domainContacts.contactId, contacts.id))
      .where(isIn(contacts.code, codes)),
  );
  const linksOf = Map.groupBy(links, ({ code }) => code);
  return rows.map((row) => {
    const links = linksOf.get(row.from!.code!) ?? [];
    return { ...row, links };
  });
}

/** Removes contacts and adds them again, with their links to domains. */
export function replace(
  db: Database,
  { request }: Origin,
  kind: Kind,
  array: string,
): ChangesOfMany[] {
  const again = writtenBy(request.requestId, kind, array, 'from.uuid');
  const going = sql`select ${contacts.id} from ${again} join ${contacts} on ${isSameKey(kind)}`;
  const isMeant = sql`${isAsCompared(kind)} and not ${isObstructed(kind)} and json_array_length(row.value, '$.links')
    = (select count(*) from ${domainContacts} where ${domainContacts.contactId} = ${contacts.id})`;
  const link = {
    domainId: sql`link.value ->> 'domain'`,
    contactId: sql`row.value ->> '$.to.id'`,
    role: sql`link.value ->> 'role'`,
  };
  const { subject } = kind;
  return [
    {
      subject,
      action: 'delete',
      rows: sql`select row.value ->> 'key' as key, row.value ->> '$.from.uuid' as uuid, row.value -> 'removal' as changes
        from ${changesIn(array)} where exists (select 1 from ${contacts} where ${isMeant})`,
      statements: [],
    },
    {
      subject,
      action: 'create',
      // A batch that was reported as failed, and was done, is sent again.
      rows: recording(sql`${again} where not exists (select 1 from ${contacts} where ${isSameKey(kind)}
          and ${contacts.id} = cast(row.value ->> '$.to.id' as integer) and ${contacts.uuid} = row.value ->> '$.to.uuid'
          and ${kind.columns.registrar!.text} = row.value ->> '$.to.registrar')`),
      statements: [
        db.delete(domainContacts).where(sql`${domainContacts.contactId} in (${going})`),
        db.delete(contacts).where(sql`${contacts.id} in (${going})`),
        insertion(db, kind, request.at, sql`${again} where true`),
        insertRows(
          db,
          domainContacts,
          link,
          sql`from ${again}, json_each(row.value, '$.links') as link`,
        ),
      ],
    },
  ];
}
