import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import {
  auctions,
  disputes,
  domains,
  type HistorySubject,
  retainedDomains,
} from '../../drizzle/schema.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import type { Action } from '../history/changes.ts';

/**
 * The statements that make changes, given as the rest of a query: `from`, whose rows have a reversal as JSON in their
 * column `value`.
 */
type StatementsOf = (db: Database, from: SQL, at: string) => BatchItem<'sqlite'>[];

const was = (field: string) => sql.raw(`value ->> '$.changes.${field}.from'`);
const becomes = (field: string) => sql.raw(`value ->> '$.changes.${field}.to'`);
const key = sql.raw("value ->> 'key'");
const uuid = sql.raw("value ->> 'uuid'");
const name = { name: key, punycode: sql.raw("value ->> 'punycode'") };

/** For each kind of change that is made to many things in one batch. */
const statements: Partial<Record<HistorySubject, Partial<Record<Action, StatementsOf>>>> = {
  retained_domain: {
    create: (db, from, at) => [
      insertRows(db, retainedDomains, { ...name, status: becomes('status'), createdAt: at }, from),
    ],
    delete: (db, from) => {
      const { name, status } = retainedDomains;
      const isAmong = sql`(${name}, ${status}) in (select ${key}, ${was('status')} ${from})`;
      return [db.delete(retainedDomains).where(isAmong)];
    },
  },
  dispute: {
    create: (db, from, at) => {
      const days = { firstDay: becomes('firstDay'), lastDay: becomes('lastDay') };
      return [insertRows(db, disputes, { ...name, ...days, createdAt: at }, from)];
    },
    update: (db, from) => {
      const { name, lastDay } = disputes;
      // Disputes of a name share no day, so the last day tells them apart.
      const isIt = sql`${key} = ${name} and ${was('lastDay')} = ${lastDay}`;
      return [
        db
          .update(disputes)
          .set({ lastDay: sql`(select ${becomes('lastDay')} ${from} where ${isIt})` })
          .where(sql`exists (select 1 ${from} where ${isIt})`),
      ];
    },
    delete: (db, from) => {
      const { name, firstDay, lastDay } = disputes;
      const days = sql`select ${key}, ${was('firstDay')}, ${was('lastDay')} ${from}`;
      return [db.delete(disputes).where(sql`(${name}, ${firstDay}, ${lastDay}) in (${days})`)];
    },
  },
  auction: {
    create: (db, from, at) => {
      const auction = {
        ...name,
        uuid,
        status: becomes('status'),
        platform: becomes('platform'),
        registrationDeadline: becomes('registrationDeadline'),
        createdAt: becomes('createdAt'),
        updatedAt: at,
      };
      return [insertRows(db, auctions, auction, from)];
    },
    delete: (db, from) => [
      db.delete(auctions).where(sql`${auctions.uuid} in (select ${uuid} ${from})`),
    ],
  },
  domain: {
    delete: (db, from) => [
      db.delete(domains).where(sql`${domains.name} in (select ${key} ${from})`),
    ],
  },
};

/** The statements of a kind of change that a plan has. */
export function reversing(subject: HistorySubject, action: Action): StatementsOf {
  return statements[subject]![action]!;
}
