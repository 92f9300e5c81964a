import { asc, eq, gte, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { contactBlocks, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { prepared } from '../database/prepared-query.ts';
import { retried } from '../database/retry.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, readWithLogin, registrarOfLogin } from '../registrar/login.ts';
import type { Contact, Page } from './contact.ts';
import { isPersons } from './read.ts';
import { joinedJson, representedByDatabase } from './representation.ts';

const offset = sql.placeholder('offset');

/**
 * Where the page at an offset begins. The counts of the blocks lead to the right block, so at most one block of contacts
 * is walked. Past the last contact it is null, which no number is greater than or equal to. The window adds up blocks by
 * ROWS, so that SQLite reads them in order and stops at the right one.
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

/**
 * The registrar's contacts in the order of their ids, as a JSON array of what registrars are shown, and how many there
 * are in all. One round trip.
 */
export async function listContacts(db: Database, login: Login, page: Page) {
  const [caller, rows] = await readWithLogin(db, login, () => [detailedPages(db, login, page)]);
  return { json: joinedJson(rows), total: caller.contactCount };
}

const detailedPages = pagesOf<Record<string, string>>(representedByDatabase);

/** As `listContacts`, but a JSON array of the codes alone, which are read from an index. */
export async function listContactCodes(db: Database, login: Login, page: Page) {
  const [caller, [row]] = await readWithLogin(db, login, () => [codePages(db, login, page)]);
  return { json: row?.json ?? '[]', total: caller.contactCount };
}

const codePages = pagesOf<{ json: string }>(
  () => ({ code: sql`code`.as('code') }),
  (page) => sql`select json_group_array(code) as json from (${page})`,
);

/** The query for a page of a registrar's contacts: these columns of each, or what is made of all of them. */
function pagesOf<Row>(
  columns: () => Record<string, SQL.Aliased>,
  made: (page: SQL) => SQL = (page) => page,
) {
  const query = (isInPage: SQL) =>
    prepared<Row>(() => {
      const page = new QueryBuilder()
        .select(columns())
        .from(contacts)
        .where(isInPage)
        .orderBy(asc(contacts.number))
        .limit(sql.placeholder('limit'));
      return made(page.getSQL());
    });
  const isRegistrars = eq(contacts.registrarId, registrarOfLogin);
  const first = query(isRegistrars);
  const later = query(sql`${isRegistrars} and ${isFromOffset}`);
  return (db: Database, login: Login, page: Page) =>
    (page.offset === 0 ? first : later)(db, { ...login, ...page });
}

/** The contacts of every registrar whose identity is the person's, in the order of their ids. One round trip. */
export function listContactsOfPerson(db: Database, person: Person, page: Page): Promise<Contact[]> {
  return retried(() =>
    db
      .select()
      .from(contacts)
      .where(isPersons(person))
      .orderBy(asc(contacts.id))
      .limit(page.limit)
      .offset(page.offset),
  );
}
