import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import type { Contact } from '../contact/contact.ts';
import { copyFor } from '../contact/copy.ts';
import { insertContacts } from '../contact/create.ts';
import { rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { difference } from '../history/changes.ts';
import { findNewestId, nothingSince } from '../history/search.ts';
import { getRegistrarId } from '../registrar/account.ts';
import { insertNotification, type NewNotification } from '../registrar/notification.ts';
import { type ChangeOfSeenOptions, changeEach, changesOfRows, type Origin } from '../write.ts';
import { insertDomains, linkContacts } from './change.ts';
import type { DomainName } from './name.ts';
import { getDomain, type Recorded } from './read.ts';

export interface TransferredDomain extends Recorded {
  /** The codes of the contacts that were copied, with those of the copies. */
  copies: Record<string, string>;
}

/**
 * Gives the domain to another registrar and returns it. Each of its contacts that belongs to the old registrar is
 * replaced by one copy, with a code and an auth_info of the new registrar; other contacts stay. All of it is one batch,
 * which notifies both registrars of these contacts. Changes nothing if the domain is the registrar's already; a dry run
 * returns codes that the transfer will not use. Throws `not_found`, `changed_meanwhile`.
 */
export async function transferDomain(
  db: Database,
  origin: Origin,
  { name, punycode }: DomainName,
  registrar: string,
  { isDryRun = false, seen }: ChangeOfSeenOptions = {},
): Promise<TransferredDomain> {
  const since = seen ?? (await findNewestId(db));
  const present = await getDomain(db, name);
  const to = await getRegistrarId(db, registrar);
  if (present.registrar === registrar) return { ...present, copies: {} };
  const from = await getRegistrarId(db, present.registrar);
  const linked = await linkedContacts(db, name, from);
  const rows = linked.map((contact, place) => copyFor(registrar, contact, origin, place));
  const copies = Object.fromEntries(linked.map(({ code }, place) => [code, rows[place]!.code]));
  const now = (codes: readonly string[]) => codes.map((code) => copies[code] ?? code).sort();
  const transferred = {
    ...present,
    registrar,
    registrant: present.registrant && now([present.registrant])[0]!,
    admin: now(present.admin),
    tech: now(present.tech),
  };
  if (isDryRun) return { ...transferred, copies };

  const at = origin.request.at;
  const copied = rowsIn(JSON.stringify(rows));
  const changed = domainRow(
    { name, punycode },
    transferred,
    difference({ ...present }, transferred),
  );
  const notifications = Object.entries(copies).flatMap(([old, copy]) => {
    const text = `Contact ${copy} has replaced ${old}, because domain ${name} has been transferred from ${present.registrar} to ${registrar} by registry`;
    const told: Omit<NewNotification, 'registrarId' | 'subjectKey'> = {
      event: 'contact.updated',
      text,
      fields: [],
      createdAt: at.toISOString(),
    };
    return [
      { ...told, registrarId: from, subjectKey: old },
      { ...told, registrarId: to, subjectKey: copy },
    ];
  });
  await changeEach(
    db,
    origin,
    {
      // First the copies: the history of the domain records their UUIDs.
      copied: [
        changesOfRows('contact', 'create', copied, [insertContacts(db, copied, at)], 'code'),
      ],
      transferred: [
        changesOfRows('domain', 'update', changed, [
          insertDomains(db, changed, at),
          ...linkContacts(db, changed),
          ...notifications.flatMap((each) => insertNotification(db, each)),
        ]),
      ],
    },
    sql`${nothingSince(since, 'domain', [name])}
      and ${nothingSince(
        since,
        'contact',
        linked.map(({ code }) => code),
      )}`,
  );
  return { ...transferred, copies };
}

/** The contacts of this registrar that the domain links, each once. */
function linkedContacts(db: Database, name: string, registrarId: number): Promise<Contact[]> {
  const links = sql`(
    select contact_id from ${domainContacts} join ${domains} on ${domains.id} = domain_id
    where ${domains.name} = ${name})`;
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.registrarId, registrarId), sql`${contacts.id} in ${links}`))
    .orderBy(contacts.id);
}

/** The domain as a row for `insertDomains` and `linkContacts`, with the ids that its contacts have by then. */
function domainRow(name: DomainName, domain: Recorded, changes: object): SQL {
  const { registrar, registrant } = domain;
  const codes = { ...domain, registrant: registrant === null ? [] : [registrant] };
  const links = domainRoles.flatMap((role) => codes[role].map((code) => ({ role, code })));
  const row = JSON.stringify({ ...name, registrar, changes });
  return sql`select json_set(${row}, '$.contacts', json((
    select json_group_array(json_object('role', link.value ->> 'role', 'id', ${contacts.id}))
    from json_each(${JSON.stringify(links)}) as link
    join ${contacts} on ${contacts.code} = link.value ->> 'code'))) as row`;
}
