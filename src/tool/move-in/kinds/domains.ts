import { sql } from 'drizzle-orm';
import { contacts, domainContacts, domainRoles, domains } from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import { insertDomains } from '../../../name/domain/change.ts';
import { kindOf, registrarOf } from './kind.ts';
import { code, domainName, oneOf, requiredInstant } from './reader.ts';

export const domainKind = kindOf(domains, {
  name: 'domains',
  columns: {
    name: domainName,
    registrar: registrarOf(domains.registrarId),
    created_at: requiredInstant,
  },
  key: ['name'],
  required: ['registrar'],
  mayBeOrphan: true,
  subject: 'domain',
  // The history of a domain has one registrant, or null.
  recorded: ({ registrant, ...fields }) => ({
    ...fields,
    registrant: (registrant as string[] | undefined)?.[0] ?? null,
  }),
  insert: (db, rows, at) => [
    insertDomains(db, rows, at),
    ...domainRoles.map((role) => {
      const link = {
        domainId: sql`(select id from ${domains} where name = row ->> 'name')`,
        contactId: sql`(select id from ${contacts} where code = link.value)`,
        role,
      };
      const links = sql`from (${rows}), json_each(row, ${`$.${role}`}) as link`;
      return insertRows(db, domainContacts, link, links);
    }),
  ],
});

export const linkKind = kindOf(domainContacts, {
  name: 'domain-contacts',
  columns: {
    domain: {
      read: domainName,
      empty: null,
      field: 'domain',
      text: sql`(select name from ${domains} where id = ${domainContacts.domainId})`,
      refersTo: { kind: 'domains', ifMissing: 'there is no such row in domains' },
    },
    contact: {
      read: code,
      empty: null,
      field: 'contact',
      text: sql`(select code from ${contacts} where id = ${domainContacts.contactId})`,
      refersTo: { kind: 'contacts', ifMissing: 'there is no such row in contacts' },
    },
    role: oneOf(domainRoles),
  },
  key: ['domain', 'contact', 'role'],
  // A domain has one registrant.
  unique: ({ domain, role }) => ({ contact: role === 'registrant' ? domain! : null }),
  ifTaken: 'an earlier line has another registrant',
  part: { of: 'domains', lists: domainRoles },
});
