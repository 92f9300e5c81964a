import { type SQL, sql } from 'drizzle-orm';
import { contacts, domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import type { DomainRole } from '../domain/list.ts';
import { columnOf, type Kind, type KindColumn, punycode, registrarOf, timesOf } from './kind.ts';
import { code, domainName, list, oneOf, requiredInstant } from './reader.ts';

/** The codes of a domain's contacts in a role, in order. */
const codesIn = (role: DomainRole) =>
  sql`(select json_group_array(code) from (
    select ${contacts.code} as code from ${domainContacts} join ${contacts} on ${contacts.id} = ${domainContacts.contactId}
    where ${domainContacts.domainId} = ${domains.id} and ${domainContacts.role} = ${role} order by 1))`;

/** The history of a domain has one registrant, or null. */
const recordedAs = (role: DomainRole) => (text: string) => {
  const codes: string[] = JSON.parse(text);
  return role === 'registrant' ? (codes[0] ?? null) : codes;
};

/** The codes in the form of `to`, each as `link` with its role in `part`. */
const contactsInForm = sql`(values ${sql.join(
  domainRoles.map((role) => sql`(${role})`),
  sql`, `,
)}) as part, json_each(row.value ->> ('$.to.' || part.column1)) as link`;

export const domainKind: Kind = {
  name: 'domains',
  subject: 'domain',
  table: domains,
  columns: {
    name: columnOf(domains, 'name', domainName),
    registrar: registrarOf(domains.registrarId),
    ...Object.fromEntries(
      domainRoles.map((role): [string, KindColumn] => [
        role,
        { read: list, field: role, text: codesIn(role), recorded: recordedAs(role) },
      ]),
    ),
    created_at: columnOf(domains, 'createdAt', requiredInstant),
  },
  key: ['name'],
  required: ['registrar'],
  mayBeOrphan: true,
  missing: timesOf,
  lacks: sql`exists (select 1 from ${contactsInForm}
    where not exists (select 1 from ${contacts} where ${contacts.code} = link.value))`,
  derived: punycode,
  following: linkContacts,
  part: {
    file: 'domain-contacts',
    columns: { domain: domainName, contact: code, role: oneOf(domainRoles) },
    fills: domainRoles,
    refersTo: 'contacts',
    single: 'registrant',
  },
};

/** Links each domain to the contacts of its form. */
function linkContacts(db: Database, written: SQL) {
  const domain = sql`${domains} on ${domains.name} = row.value ->> '$.to.name'`;
  const { domainId, contactId, role } = domainContacts;
  const links = sql`from ${written} join ${domain}, ${contactsInForm} join ${contacts} on ${contacts.code} = link.value where true`;
  const link = {
    domainId: sql`${domains.id}`,
    contactId: sql`${contacts.id}`,
    role: sql`part.column1`,
  };
  return [
    // Deletions first: a domain never has two registrants.
    db.delete(domainContacts).where(
      sql`${domainId} in (select ${domains.id} from ${written} join ${domain})
          and (${domainId}, ${contactId}, ${role}) not in (select ${link.domainId}, ${link.contactId}, ${link.role} ${links})`,
    ),
    insertRows(db, domainContacts, link, links).onConflictDoNothing(),
  ];
}
