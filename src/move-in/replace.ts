import { sql } from 'drizzle-orm';
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

/** The links of domains to a contact, as JSON. */
const linksOf = sql`(select json_group_array(json_array(domain_id, role)) from (
  select * from ${domainContacts} where ${domainContacts.contactId} = ${contacts.id} order by domain_id, role))`;

/** The rows with the links to each contact which is going to be replaced. */
export async function withLinks<Row extends { from: Form | null }>(
  db: Database,
  rows: readonly Row[],
) {
  const codes = JSON.stringify(rows.map(({ from }) => from!.code));
  const linked = await retried(() =>
    db
      .select({ code: contacts.code, links: sql<string>`${linksOf}` })
      .from(contacts)
      .where(isIn(contacts.code, codes)),
  );
  const links = new Map(linked.map(({ code, links }) => [code, links]));
  return rows.map((row) => ({ ...row, links: links.get(row.from!.code!) }));
}

/** Removes contacts and adds them again, with their links to domains. */
export function replace(
  db: Database,
  { request }: Origin,
  kind: Kind,
  array: string,
): ChangesOfMany[] {
  const isMeant = sql`${isAsCompared(kind)} and not ${isObstructed(kind)} and row.value ->> 'links' = ${linksOf}`;
  const removed = writtenBy(request.requestId, kind, array, 'from.uuid');
  const added = writtenBy(request.requestId, kind, array);
  // A batch that was reported as failed, and was done, is sent again, and finds none.
  const going = sql`${removed} join ${contacts} on ${isAsCompared(kind)}`;
  const ids = sql`(select ${contacts.id} from ${going})`;
  const link = {
    domainId: sql`link.value ->> 0`,
    contactId: sql`row.value ->> '$.to.id'`,
    role: sql`link.value ->> 1`,
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
      rows: recording(going),
      statements: [
        db.delete(domainContacts).where(sql`${domainContacts.contactId} in ${ids}`),
        db.delete(contacts).where(sql`${contacts.id} in ${ids}`),
        insertion(
          db,
          kind,
          request.at,
          sql`${added} where not exists (select 1 from ${contacts} where ${isSameKey(kind)})`,
        ),
        insertRows(
          db,
          domainContacts,
          link,
          sql`from ${added}, json_each(row.value ->> 'links') as link where true`,
        ).onConflictDoNothing(),
      ],
    },
  ];
}
