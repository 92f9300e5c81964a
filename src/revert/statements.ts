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
      insertRows(
        db,
        retainedDomains,
        { ...name, status: becomes('status'), lastDay: becomes('lastDay'), createdAt: at },
        from,
      ),
    ],
    update: (db, from) => {
      const { name, status } = retainedDomains;
      const reversals = sql`(select ${key} as key, ${becomes('lastDay')} as last_day ${from}) as given`;
      return [
        db
          .update(retainedDomains)
          .set({ lastDay: sql`given.last_day` })
          .from(reversals)
          .where(sql`${name} = given.key and ${status} = 'reserved'`),
      ];
    },
    delete: (db, from) => {
      const { name, status } = retainedDomains;
      const isAmong = sql`(${name}, ${status}) in (select ${key}, ${was('status')} ${from})`;
      return [db.delete(retainedDomains).where(isAmong)];
    },
  },
  dispute: {
    create: (db, from, at) => {
      const dispute = {
        ...name,
        firstDay: becomes('firstDay'),
        lastDay: becomes('lastDay'),
        comment: becomes('comment'),
        initiator: becomes('initiator'),
        closedAt: becomes('closedAt'),
        createdAt: at,
      };
      return [insertRows(db, disputes, dispute, from)];
    },
    update: (db, from) => {
      // Of a name's disputes, the first that is not over is closed.
      const meant = sql`(
        select id from ${disputes} as one
        where one.name = ${key} and one.closed_at is ${was('closedAt')}
          and one.last_day >= substr(ifnull(${was('closedAt')}, ${becomes('closedAt')}), 1, 10)
        order by one.first_day limit 1)`;
      return [
        db
          .update(disputes)
          .set({
            closedAt: sql`(select ${becomes('closedAt')} ${from} where ${disputes.id} = ${meant})`,
          })
          .where(sql`${disputes.id} in (select ${meant} ${from})`),
      ];
    },
    delete: (db, from) => {
      const { name, firstDay, lastDay, closedAt } = disputes;
      const meant = sql`
        select ${key}, ${was('firstDay')}, ${was('lastDay')}, ifnull(${was('closedAt')}, '') ${from}`;
      const isAmong = sql`(${name}, ${firstDay}, ${lastDay}, ifnull(${closedAt}, '')) in (${meant})`;
      return [db.delete(disputes).where(isAmong)];
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
