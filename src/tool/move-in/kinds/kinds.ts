import { sql } from 'drizzle-orm';
import {
  auctionStatuses,
  auctions,
  disputes,
  retainedDomains,
  type retainedStatuses,
  untilClosed,
} from '../../../../drizzle/schema.ts';
import { contactKind } from './contacts.ts';
import { domainKind, linkKind } from './domains.ts';
import { columnOf, type Kind, kindOf } from './kind.ts';
import {
  day,
  domainName,
  givenSecret,
  instant,
  isEndless,
  lastOf,
  oneOf,
  type ReadText,
  refusal,
  requiredDay,
  requiredInstant,
  uuid,
} from './reader.ts';
import { addressKind, apiUserKind, certificateKind, registrarKind } from './registrars.ts';

/** The names with a status, each with these columns and the time of its creation. */
function retainedKind(
  status: (typeof retainedStatuses)[number],
  readers: Record<string, ReadText> = {},
): Kind {
  return kindOf(retainedDomains, {
    name: status,
    columns: { name: domainName, ...readers, created_at: requiredInstant },
    key: ['name'],
    condition: sql`${retainedDomains.status} = ${status}`,
    values: { status: sql`${status}` },
    subject: 'retained_domain',
    recorded: (fields) => ({ status, ...fields }),
  });
}

const reservedKind = retainedKind('reserved', { password: givenSecret, last_day: lastOf(day) });

const blockedKind = retainedKind('blocked');

const disputeKind = kindOf(disputes, {
  name: 'disputes',
  columns: {
    name: domainName,
    first_day: requiredDay,
    last_day: {
      ...columnOf(disputes, 'lastDay', (text, note) =>
        isEndless(text) ? untilClosed : requiredDay(text, note),
      ),
      empty: untilClosed,
    },
    password: givenSecret,
    comment: undefined,
    initiator: undefined,
    closed_at: instant,
    created_at: requiredInstant,
  },
  key: ['name', 'first_day', 'created_at'],
  nextTime: ({ first_day, created_at }) =>
    new Date(created_at ? Date.parse(created_at) + 1 : first_day!).toISOString(),
  check(form) {
    const { first_day, last_day } = form;
    if (first_day && last_day && last_day < first_day) throw refusal('ends before it begins');
    return form;
  },
  subject: 'dispute',
});

const auctionKind = kindOf(auctions, {
  name: 'auctions',
  columns: {
    uuid,
    name: domainName,
    status: oneOf(auctionStatuses),
    registration_code: givenSecret,
    registration_deadline: instant,
    platform: undefined,
    created_at: requiredInstant,
    updated_at: requiredInstant,
  },
  key: ['uuid'],
  required: ['name', 'status'],
  unique: ({ name, status }) => ({ name: status === 'started' ? name! : null }),
  ifTaken: 'an earlier line has the same and the status started',
  subject: 'auction',
  subjectKey: 'name',
});

/** Every kind of row that moves in, each after those that it refers to. */
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
