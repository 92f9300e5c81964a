import { sql } from 'drizzle-orm';
import {
  auctionStatuses,
  auctions,
  contacts,
  disputes,
  domainContacts,
  domainRoles,
  domains,
  retainedDomains,
  type retainedStatuses,
  untilClosed,
} from '../../../../drizzle/schema.ts';
import { insertRows } from '../../../base/database/insert-rows.ts';
import { putDomains } from '../../../name/domain/change.ts';
import { contactKind } from './contacts.ts';
import { columnOf, type Kind, kindOf, reference, registrarOf } from './kind.ts';
import * as read from './reader.ts';
import { addressKind, apiUserKind, certificateKind, registrarKind } from './registrars.ts';

export const domainKind = kindOf(domains, {
  name: 'domains',
  columns: {
    name: read.domainName,
    registrar: registrarOf(domains.registrarId),
    created_at: read.requiredInstant,
  },
  key: ['name'],
  required: ['registrar'],
  mayFallBack: true,
  subject: 'domain',
  // The history of a domain has one registrant, or null.
  recorded: ({ registrant, ...fields }) => ({
    ...fields,
    registrant: (registrant as string[] | undefined)?.[0] ?? null,
  }),
  insert: (db, rows, at) => [
    putDomains(db, rows, at),
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

const linkKind = kindOf(domainContacts, {
  name: 'domain-contacts',
  columns: {
    domain: reference('domains', {
      ...{ read: read.domainName, field: 'domain' },
      text: sql`(select name from ${domains} where id = ${domainContacts.domainId})`,
    }),
    contact: reference('contacts', {
      ...{ read: read.code, field: 'contact' },
      text: sql`(select code from ${contacts} where id = ${domainContacts.contactId})`,
    }),
    role: read.oneOf(domainRoles),
  },
  key: ['domain', 'contact', 'role'],
  // A domain has one registrant.
  unique: ({ domain, role }) => ({ contact: role === 'registrant' ? domain! : null }),
  ifTaken: 'an earlier line has another registrant',
  part: { of: 'domains', lists: domainRoles },
});

function retainedKind(
  status: (typeof retainedStatuses)[number],
  readers: Record<string, read.ReadText> = {},
): Kind {
  return kindOf(retainedDomains, {
    name: status,
    columns: { name: read.domainName, ...readers, created_at: read.requiredInstant },
    key: ['name'],
    condition: sql`${retainedDomains.status} = ${status}`,
    values: { status: sql`${status}` },
    subject: 'retained_domain',
    recorded: (fields) => ({ status, ...fields }),
  });
}

const reservedKind = retainedKind('reserved', {
  password: read.givenSecret,
  last_day: read.lastOf(read.day),
});

const blockedKind = retainedKind('blocked');

const disputeKind = kindOf(disputes, {
  name: 'disputes',
  columns: {
    name: read.domainName,
    first_day: read.requiredDay,
    last_day: {
      ...columnOf(disputes, 'lastDay', (text, note) =>
        read.isEndless(text) ? untilClosed : read.requiredDay(text, note),
      ),
      empty: untilClosed,
    },
    password: read.givenSecret,
    comment: undefined,
    initiator: undefined,
    closed_at: read.instant,
    created_at: read.requiredInstant,
  },
  key: ['name', 'first_day', 'created_at'],
  nextTime: ({ first_day, created_at }) =>
    new Date(created_at ? Date.parse(created_at) + 1 : first_day!).toISOString(),
  check(form) {
    const { first_day, last_day } = form;
    if (first_day && last_day && last_day < first_day) throw read.refusal('ends before it begins');
    return form;
  },
  subject: 'dispute',
});

const auctionKind = kindOf(auctions, {
  name: 'auctions',
  columns: {
    uuid: read.uuid,
    name: read.domainName,
    status: read.oneOf(auctionStatuses),
    registration_code: read.givenSecret,
    registration_deadline: read.instant,
    platform: undefined,
    created_at: read.requiredInstant,
    updated_at: read.requiredInstant,
  },
  key: ['uuid'],
  required: ['name', 'status'],
  unique: ({ name, status }) => ({ name: status === 'started' ? name! : null }),
  ifTaken: 'an earlier line has the same with the status started',
  subject: 'auction',
  subjectKey: 'name',
});

/** Each kind comes after the kinds that it refers to. */
export const kinds: readonly Kind[] = [
  registrarKind,
  addressKind,
  apiUserKind,
  certificateKind,
  contactKind,
  domainKind,
  linkKind,
  reservedKind,
  blockedKind,
  disputeKind,
  auctionKind,
];
