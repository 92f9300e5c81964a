import { sql } from 'drizzle-orm';
import { contacts, domainContacts, domainRoles, domains } from '../../drizzle/schema.ts';
import { insertDomains, linkContacts } from '../domain/change.ts';
import type { DomainRole } from '../domain/list.ts';
import { columnOf, type Kind, type KindColumn, punycode, registrarOf } from './kind.ts';
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
  obstacle: sql`exists (select 1 from ${contactsInForm}
    where not exists (select 1 from ${contacts} where ${contacts.code} = link.value))`,
  derived: punycode,
  insert: insertDomains,
  following(db, written) {
    const ids = sql`(select json_group_array(json_object('role', part.column1, 'id', ${contacts.id}))
      from ${contactsInForm} join ${contacts} on ${contacts.code} = link.value)`;
    const row = sql`json_set(row.value -> 'row', '$.contacts', json(${ids}))`;
    return linkContacts(db, sql`select ${row} as row from ${written}`);
  },
  part: {
    file: 'domain-contacts',
    columns: { domain: domainName, contact: code, role: oneOf(domainRoles) },
    fills: domainRoles,
    refersTo: 'contacts',
    single: 'registrant',
  },
};
