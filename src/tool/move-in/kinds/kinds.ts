import { sql } from 'drizzle-orm';
import {
  auctionStatuses,
  auctions,
  disputes,
  retainedDomains,
  type retainedStatuses,
  untilClosed,
} from '../../../../drizzle/schema.ts';
import { dayOf } from '../../../base/time/day.ts';
import { insertAuctions } from '../../../name/auction/start.ts';
import { insertRetainedDomains, namesIn } from '../../../name/retained/change-names.ts';
import { insertDisputes } from '../../../name/retained/dispute.ts';
import { contactKind } from './contacts.ts';
import { domainKind, linkKind } from './domains.ts';
import { type Kind, punycode, rowsOf, tableColumns } from './kind.ts';
import {
  anyText,
  day,
  domainName,
  givenSecret,
  instant,
  isEndless,
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
  return {
    name: status,
    columns: tableColumns(retainedDomains, {
      name: domainName,
      ...readers,
      created_at: requiredInstant,
    }),
    key: ['name'],
    ...rowsOf(retainedDomains, sql`${retainedDomains.status} = ${status}`),
    stored: {
      subject: 'retained_domain',
      derived: (form) => ({ ...punycode(form), status }),
      recorded: (fields) => ({ status, ...fields }),
      insert: (db, rows) => [insertRetainedDomains(db, namesIn(rows))],
    },
  };
}

const reservedKind: Kind = {
  ...retainedKind('reserved', { password: givenSecret, last_day: day }),
  end: { column: 'last_day', isOver: (last, now) => last < dayOf(now) },
};

const blockedKind = retainedKind('blocked');

const disputeColumns = tableColumns(disputes, {
  name: domainName,
  first_day: requiredDay,
  last_day: (text, note) => {
    const last = isEndless(text) ? null : requiredDay(text, note);
    return last === untilClosed ? null : last;
  },
  password: givenSecret,
  comment: anyText,
  initiator: anyText,
  closed_at: instant,
  created_at: requiredInstant,
});

const disputeKind: Kind = {
  name: 'disputes',
  columns: {
    ...disputeColumns,
    last_day: {
      ...disputeColumns.last_day!,
      text: sql`nullif(${disputes.lastDay}, ${untilClosed})`,
      stored: (text) => text ?? untilClosed,
    },
  },
  key: ['name', 'first_day', 'created_at'],
  ...rowsOf(disputes),
  apart: {
    column: 'created_at',
    next: ({ first_day, created_at }) =>
      new Date(created_at ? Date.parse(created_at) + 1 : first_day!).toISOString(),
  },
  check(form) {
    const { first_day, last_day } = form;
    if (first_day && last_day && last_day < first_day) throw refusal('ends before it begins');
    return form;
  },
  stored: {
    subject: 'dispute',
    derived: punycode,
    insert: (db, rows) => [insertDisputes(db, rows)],
  },
};

const auctionKind: Kind = {
  name: 'auctions',
  columns: tableColumns(auctions, {
    uuid: (text, note) => {
      if (text === null) throw refusal('is missing');
      return uuid(text, note);
    },
    name: domainName,
    status: oneOf(auctionStatuses),
    registration_code: givenSecret,
    registration_deadline: instant,
    platform: anyText,
    created_at: requiredInstant,
    updated_at: requiredInstant,
  }),
  key: ['uuid'],
  required: ['name', 'status'],
  unique: [{ columns: ['name'], where: { status: 'started' } }],
  ...rowsOf(auctions),
  stored: {
    subject: 'auction',
    subjectKey: 'name',
    derived: punycode,
    insert: (db, rows) => [insertAuctions(db, rows)],
  },
};

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
