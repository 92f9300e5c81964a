import { and, asc, type Column, eq, getTableColumns, gt, gte, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { contactBlocks, contacts, registrars } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { Page, RowsAfter } from '../database/paging.ts';
import { prepared } from '../database/prepared-query.ts';
import { retried } from '../database/retry.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, readWithLogin, registrarOfLogin } from '../registrar/login.ts';
import type { Contact } from './contact.ts';
import { isPersons } from './read.ts';
import { registrarRepresentation } from './representation.ts';
import { type ContactFilters, searching } from './search.ts';

const offset = sql.placeholder('offset');

/**
 * The place where the page at an offset begins. The counts of the blocks lead to the right block, so at most one block
 * of contacts is walked. Past the last contact it is null, which no number is greater than or equal to. The window adds
 * up blocks by ROWS, so that SQLite reads them in order and stops at the right one.
 */
const isFromOffset = gte(
  contacts.number,
  sql`(
    with start as materialized (
      select block, preceding from (
        select block, count, sum(count) over (order by block rows unbounded preceding) - count as preceding
        from ${contactBlocks} where registrar_id = ${registrarOfLogin}
      ) where preceding + count > ${offset} limit 1
    )
    select number from ${contacts} as walked
    where walked.registrar_id = ${registrarOfLogin} and walked.number >= (select block from start) << 10
    order by walked.number limit 1 offset ${offset} - ifnull((select preceding from start), 0)
  )`,
);

type StoredContact = Omit<Contact, 'statuses' | 'statusNotes'> & {
  statuses: string;
  statusNotes: string;
};

/** The registrar's contacts as registrars see them. */
export const listContacts = listing<StoredContact>(
  getTableColumns(contacts),
  ({ statuses, statusNotes, ...row }) =>
    registrarRepresentation({
      ...row,
      statuses: JSON.parse(statuses),
      statusNotes: JSON.parse(statusNotes),
    }),
);

/** Only the codes, which are read from an index. */
export const listContactCodes = listing<Pick<Contact, 'code' | 'number'>>(
  { code: contacts.code, number: contacts.number },
  ({ code }) => code,
);

/**
 * A function that lists a registrar's contacts in the order of their ids, in one round trip, or searches them. It
 * returns a page, the number of contacts that the registrar has, and the place where the next page begins, if there may
 * be one.
 */
function listing<Row extends Pick<Contact, 'number'>>(
  columns: Record<string, Column>,
  shown: (row: Row) => unknown,
) {
  const selected = Object.entries(columns).map(
    ([name, column]) => [name, sql`${column}`.as(name)] as const,
  );
  const query = (isInPage: SQL) =>
    prepared<Row>(() =>
      new QueryBuilder()
        .select(Object.fromEntries(selected))
        .from(contacts)
        .where(isInPage)
        .orderBy(asc(contacts.number))
        .limit(sql.placeholder('limit')),
    );
  const isRegistrars = eq(contacts.registrarId, registrarOfLogin);
  const first = query(isRegistrars);
  const fromOffset = query(sql`${isRegistrars} and ${isFromOffset}`);
  const following = query(
    sql`${isRegistrars} and ${contacts.number} > ${sql.placeholder('after')}`,
  );
  const search = searching(
    selected.map(([name, column]) => sql`${column.sql} as ${sql.identifier(name)}`),
    shown,
  );
  return async (db: Database, login: Login, page: Page, filters: ContactFilters = {}) => {
    const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
    if (isFiltered) return search(db, login, page, filters);
    const pages = page.after !== undefined ? following : page.offset === 0 ? first : fromOffset;
    const [caller, rows] = await readWithLogin(db, login, () => [pages(db, { ...login, ...page })]);
    const next = rows.length < page.limit ? undefined : rows.at(-1)?.number;
    return { contacts: rows.map(shown), total: caller.contactCount, next };
  };
}

/** The contacts of every registrar whose identity is the person's, in the order of their ids. One round trip. */
export function listContactsOfPerson(db: Database, person: Person, page: Page): Promise<Contact[]> {
  return retried(() =>
    db
      .select()
      .from(contacts)
      .where(and(isPersons(person), gt(contacts.id, page.after ?? 0)))
      .orderBy(asc(contacts.id))
      .limit(page.limit)
      .offset(page.offset),
  );
}

/** A registrar's contacts in the order of their numbers. */
export async function listContactsOfRegistrar(
  db: Database,
  registrarCode: string,
  page: RowsAfter<{ number: number }>,
): Promise<Contact[]> {
  const registrarId = sql`(select id from ${registrars} where code = ${registrarCode})`;
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.registrarId, registrarId), gt(contacts.number, page.after?.number ?? 0)))
    .orderBy(asc(contacts.number))
    .limit(page.limit);
}
