import { sql } from 'drizzle-orm';
import {
  auctionStatuses,
  auctions,
  disputes,
  retainedDomains,
  type retainedStatuses,
  untilClosed,
} from '../../drizzle/schema.ts';
import { insertAuctions } from '../auction/start.ts';
import { insertRetainedDomains, namesIn } from '../retained-domain/change-names.ts';
import { insertDisputes } from '../retained-domain/dispute.ts';
import { dayOf } from '../time/day.ts';
import { certificateKind } from './certificates.ts';
import { contactKind } from './contacts.ts';
import { domainKind } from './domains.ts';
import { columnOf, isOver, type Kind, type KindColumn, punycode } from './kind.ts';
import {
  day,
  domainName,
  instant,
  isEndless,
  oneOf,
  refusal,
  requiredDay,
  requiredInstant,
  uuid,
} from './reader.ts';
import { apiUserKind, registrarKind } from './registrars.ts';

/** The names with a status, each with these columns and the time of its creation. */
function retainedKind(
  status: (typeof retainedStatuses)[number],
  columns: Record<string, KindColumn>,
): Kind {
  return {
    name: status,
    subject: 'retained_domain',
    table: retainedDomains,
    columns: {
      name: columnOf(retainedDomains, 'name', domainName),
      ...columns,
      created_at: columnOf(retainedDomains, 'createdAt', requiredInstant),
    },
    key: ['name'],
    constants: { status },
    derived: punycode,
    insert: (db, rows) => insertRetainedDomains(db, namesIn(rows)),
    isAbout: sql`ifnull(ifnull(entry.changes ->> '$.status.to', entry.changes ->> '$.status.from'), 'reserved') = ${status}`,
  };
}

const reservedKind: Kind = {
  ...retainedKind('reserved', {
    password: { ...columnOf(retainedDomains, 'password'), isSecret: true },
    last_day: columnOf(retainedDomains, 'lastDay', day),
  }),
  unfit: ({ last_day }, now) =>
    last_day && last_day < dayOf(now) ? { column: 'last_day', why: isOver } : undefined,
};

const disputeKind: Kind = {
  name: 'disputes',
  subject: 'dispute',
  table: disputes,
  columns: {
    name: columnOf(disputes, 'name', domainName),
    first_day: columnOf(disputes, 'firstDay', requiredDay),
    last_day: {
      ...columnOf(disputes, 'lastDay', (text, note) => {
        const last = isEndless(text) ? null : requiredDay(text, note);
        return last === untilClosed ? null : last;
      }),
      text: sql`nullif(${disputes.lastDay}, ${untilClosed})`,
      stored: (text) => text ?? untilClosed,
    },
    password: { ...columnOf(disputes, 'password'), isSecret: true },
    comment: columnOf(disputes, 'comment'),
    initiator: columnOf(disputes, 'initiator'),
    closed_at: columnOf(disputes, 'closedAt', instant),
    created_at: columnOf(disputes, 'createdAt', requiredInstant),
  },
  key: ['name', 'first_day', 'created_at'],
  apart: {
    column: 'created_at',
    next: ({ first_day, created_at }) =>
      new Date(created_at ? Date.parse(created_at) + 1 : first_day!).toISOString(),
  },
  // A dispute that was made here has its time of creation from the entry.
  isAbout: sql`(
    entry.changes ->> '$.firstDay.to' = row.value ->> 'first_day'
      and ifnull(entry.changes ->> '$.createdAt.to', entry.occurred_at) = row.value ->> 'created_at'
    or entry.changes ->> '$.closedAt.to' = row.value ->> 'closed_at')`,
  check({ first_day, last_day }) {
    if (first_day && last_day && last_day < first_day) throw refusal('ends before it begins');
  },
  derived: punycode,
  insert: insertDisputes,
};

const auctionKind: Kind = {
  name: 'auctions',
  subject: 'auction',
  table: auctions,
  columns: {
    uuid: columnOf(auctions, 'uuid', (text, note) => {
      if (text === null) throw refusal('is missing');
      return uuid(text, note);
    }),
    name: columnOf(auctions, 'name', domainName),
    status: columnOf(auctions, 'status', oneOf(auctionStatuses)),
    registration_code: { ...columnOf(auctions, 'registrationCode'), isSecret: true },
    registration_deadline: columnOf(auctions, 'registrationDeadline', instant),
    platform: columnOf(auctions, 'platform'),
    created_at: columnOf(auctions, 'createdAt', requiredInstant),
    updated_at: columnOf(auctions, 'updatedAt', requiredInstant),
  },
  key: ['uuid'],
  subjectKey: 'name',
  isAbout: sql`entry.subject_uuid is row.value ->> 'uuid'`,
  required: ['name', 'status'],
  unique: [{ columns: ['name'], where: { status: 'started' } }],
  derived: punycode,
  insert: insertAuctions,
};

/** Kinds of parties and of what they hold, each after those that it refers to. */
export const heldKinds: readonly Kind[] = [
  registrarKind,
  apiUserKind,
  certificateKind,
  contactKind,
  domainKind,
];

/** Kinds that refer to no other. */
export const nameKinds: readonly Kind[] = [
  reservedKind,
  retainedKind('blocked', {}),
  disputeKind,
  auctionKind,
];

/** Every kind of thing that moves in. */
export const kinds: readonly Kind[] = [...heldKinds, ...nameKinds];
