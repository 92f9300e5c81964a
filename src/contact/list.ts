import { and, asc, gt, gte, type SQL, sql } from 'drizzle-orm';
import { contactBlocks, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { Page } from '../base/database/paging.ts';
import { prepared } from '../base/database/prepared-query.ts';
import { retry } from '../base/database/retry.ts';
import { isTooLong } from '../base/database/violations.ts';
import type { Person } from '../party/registrant/token.ts';
import {
  type Login,
  loginValues,
  readWithLogin,
  registrarOfLogin,
} from '../party/registrar/login.ts';
import type { Contact } from './contact.ts';
import { type JsonRow, jsonOf, parseContacts } from './json-columns.ts';
import { isPersons } from './read.ts';
import { registrarColumns, registrarRepresentation } from './representation.ts';
import { type ContactFilters, searchReader } from './search.ts';

const offset = sql.placeholder('offset');

/**
 * The start of the page at an offset; null past the last contact. The blocks' counts lead to one block, the only one
 * walked. `rows` makes SQLite read the blocks in order and stop at the right one.
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

export const listContacts = pageReader(['number', ...registrarColumns], registrarRepresentation);

/** With the demand at the end. */
export const listDemandedContacts = pageReader(
  ['number', ...registrarColumns, 'verificationDemand'],
  ({ verificationDemand, ...contact }) => ({
    ...registrarRepresentation(contact),
    demand: verificationDemand,
  }),
);

/** Codes alone come from an index. */
export const listContactCodes = pageReader(['number', 'code'], ({ code }) => code);

/**
 * Lists or searches a registrar's contacts in the order of their ids. Also returns their total number and the start of
 * the next page, if there may be one. One round trip; two for a page of over 2,000,000 bytes.
 */
function pageReader<Column extends keyof Contact>(
  columns: readonly ('number' | Column)[],
  represent: (contact: Pick<Contact, Column>) => unknown,
) {
  const query = (isInPage: SQL) => {
    const rows = () => sql`
      select ${jsonOf(columns)} as json from ${contacts}
      where ${contacts.registrarId} = ${registrarOfLogin} and ${isInPage}
      order by ${contacts.number} limit ${sql.placeholder('limit')}`;
    // D1 returns one row faster than 200, but refuses a row whose text is too long.
    const joined = () => sql`select ifnull(group_concat(json), '') as json from (${rows()})`;
    return { inOneRow: prepared<JsonRow>(joined), inRows: prepared<JsonRow>(rows) };
  };
  const first = query(sql`true`);
  const fromOffset = query(isFromOffset);
  const following = query(sql`${contacts.number} > ${sql.placeholder('after')}`);
  const search = searchReader(columns, represent);
  return async (db: Database, login: Login, page: Page, filters: ContactFilters = {}) => {
    const isFiltered = Object.values(filters).some(Boolean);
    if (isFiltered) return search(db, login, page, filters);
    const pages = page.after !== undefined ? following : page.offset === 0 ? first : fromOffset;
    const read = (query: typeof pages.inRows) =>
      readWithLogin(db, login, () => [query(db, { ...loginValues(login), ...page })]);
    const [caller, rows] = await read(pages.inOneRow).catch((error) => {
      if (isTooLong(error)) return read(pages.inRows);
      throw error;
    });
    const pageContacts = parseContacts(rows, columns);
    const next = pageContacts.length < page.limit ? undefined : pageContacts.at(-1)?.number;
    return { contacts: pageContacts.map(represent), total: caller.contactCount, next };
  };
}

/** Lists the person's contacts at every registrar by id. One round trip. */
export function listContactsOfPerson(db: Database, person: Person, page: Page): Promise<Contact[]> {
  return retry(() =>
    db
      .select()
      .from(contacts)
      .where(and(isPersons(person), gt(contacts.id, page.after ?? 0)))
      .orderBy(asc(contacts.id))
      .limit(page.limit)
      .offset(page.offset),
  );
}
