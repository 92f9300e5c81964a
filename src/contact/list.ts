import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { contactBlocks, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { Page } from '../database/paging.ts';
import { prepared } from '../database/prepared-query.ts';
import { retried } from '../database/retry.ts';
import type { Person } from '../registrant/token.ts';
import { type Login, readWithLogin, registrarOfLogin } from '../registrar/login.ts';
import type { Contact } from './contact.ts';
import { isPersons } from './read.ts';
import { joinedJson, representedByDatabase } from './representation.ts';

const offset = sql.placeholder('offset');

/**
 * The place where the page at an offset begins. The counts of the blocks lead to the right block, so at most one block of contacts
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
 * A page of the registrar's contacts in the order of their ids, as registrars see them: a JSON array, the number of
 * contacts that the registrar has, and the place where the next page begins, if there may be one. One round trip.
 */
export async function listContacts(db: Database, login: Login, page: Page) {
  const [caller, rows] = await readWithLogin(db, login, () => [detailedPages(db, login, page)]);
  const json = joinedJson(rows.map(({ place: _, ...columns }: DetailedRow) => columns));
  const next = rows.length < page.limit ? undefined : rows.at(-1)?.place;
  return { json, total: caller.contactCount, next };
}

type DetailedRow = { place: number } & Record<`json${number}`, string>;

const detailedPages = pagesOf<DetailedRow>(representedByDatabase);

/** Like `listContacts`, but only the codes, which are read from an index. */
export async function listContactCodes(db: Database, login: Login, page: Page) {
  const [caller, [row]] = await readWithLogin(db, login, () => [codePages(db, login, page)]);
  const { json, count, last } = row as CodePage;
  const next = count < page.limit ? undefined : (last ?? undefined);
  return { json, total: caller.contactCount, next };
}

interface CodePage {
  json: string;
  count: number;
  /** The place of the last one; null where there is none. */
  last: number | null;
}

const codePages = pagesOf<CodePage>(
  () => ({ code: sql`code`.as('code') }),
  (page) => sql`
    select json_group_array(code) as json, count(*) as count, max(place) as last from (${page})`,
);

/** The query for a page of a registrar's contacts: place and these columns of each, or what is made of all of them. */
function pagesOf<Row>(
  columns: () => Record<string, SQL.Aliased>,
  made: (page: SQL) => SQL = (page) => page,
) {
  const query = (isInPage: SQL) =>
    prepared<Row>(() => {
      const page = new QueryBuilder()
        .select({ ...columns(), place: sql`${contacts.number}`.as('place') })
        .from(contacts)
        .where(isInPage)
        .orderBy(asc(contacts.number))
        .limit(sql.placeholder('limit'));
      return made(page.getSQL());
    });
  const isRegistrars = eq(contacts.registrarId, registrarOfLogin);
  const first = query(isRegistrars);
  const fromOffset = query(sql`${isRegistrars} and ${isFromOffset}`);
  const following = query(
    sql`${isRegistrars} and ${contacts.number} > ${sql.placeholder('after')}`,
  );
  return (db: Database, login: Login, page: Page) => {
    const pages = page.after !== undefined ? following : page.offset === 0 ? first : fromOffset;
    return pages(db, { ...login, ...page });
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
