import { type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts, isUnverified } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { Order, Page } from '../base/database/paging.ts';
import { prepared } from '../base/database/prepared-query.ts';
import { isTooLong } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';
import { nameKey } from '../base/text/search-key.ts';
import {
  type Login,
  loginValues,
  readWithLogin,
  registrarOfLogin,
} from '../party/registrar/login.ts';
import type { Contact } from './contact.ts';
import { identityKey } from './identity-code.ts';
import { contactsIn, type JsonRow, jsonOf } from './json-columns.ts';
import { mailboxKey } from './mailbox.ts';

export interface ContactFilters {
  ident?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  status?: ContactStatus | 'ok' | 'linked' | undefined;
  isUnverified?: boolean;
  updatedSince?: Date | undefined;
  identCountryCode?: string | undefined;
}

/** Contacts that one request walks through. To find the last of them, a short page walks twice. */
const maximumWalk = 5_000;

interface Condition {
  index: string;
  /** The column before the number in the index's order. */
  column?: 'updatedAt' | 'nameKey';
  /** Selects the part of the index that a walk may have to read, from the page's start on. */
  walk: SQL;
  where: SQL;
}

const param = (name: string) => sql.placeholder(name);
const onward = sql`number > ${param('number')}`;
const equals = (column: string, name: string) => {
  const where = sql`${sql.raw(column)} = ${param(name)}`;
  return { walk: sql`${where} and ${onward}`, where };
};

/** The first one in use leads the search. Without `>=`, which would make SQLite ignore the page's start. */
const conditions = {
  ident: { index: 'contacts_by_ident', ...equals('ident_key', 'ident') },
  email: { index: 'contacts_by_email', ...equals('email_key', 'email') },
  since: {
    index: 'contacts_by_change',
    column: 'updatedAt',
    walk: sql`(updated_at, number) > (${param('key')}, ${param('number')})`,
    where: sql`updated_at >= ${param('since')}`,
  },
  stored: {
    index: 'contacts_with_statuses',
    walk: sql`statuses <> '[]' and ${onward}`,
    where: sql`instr(statuses, ${param('stored')})`,
  },
  name: {
    index: 'contacts_by_name',
    column: 'nameKey',
    walk: sql`(name_key, number) > (${param('key')}, ${param('number')}) and name_key < ${param('nameEnd')}`,
    where: sql`name_key >= ${param('name')} and name_key < ${param('nameEnd')}`,
  },
  linked: {
    index: 'contacts_linked',
    walk: sql`domain_count > 0 and ${onward}`,
    where: sql`domain_count > 0`,
  },
  unverified: {
    index: 'contacts_unverified',
    walk: sql`${isUnverified} and ${onward}`,
    where: isUnverified,
  },
  country: { index: 'contacts_by_country', ...equals('ident_country_code', 'country') },
  ok: { index: 'contacts_of_registrar', walk: onward, where: sql`statuses = '[]'` },
} satisfies Record<string, Condition>;
type ConditionName = keyof typeof conditions;
const conditionNames = Object.keys(conditions) as ConditionName[];

function valuesOf(filters: ContactFilters): Record<ConditionName, string | undefined> {
  const { ident, email, name, status, updatedSince, identCountryCode } = filters;
  const isDerived = status === 'ok' || status === 'linked';
  return {
    ident: ident && identityKey(ident),
    email: email && mailboxKey(email),
    since: updatedSince?.toISOString(),
    stored: isDerived ? undefined : JSON.stringify(status),
    name: name && nameKey(name),
    linked: status === 'linked' ? status : undefined,
    unverified: filters.isUnverified ? 'unverified' : undefined,
    country: identCountryCode,
    ok: status === 'ok' ? status : undefined,
  };
}

function columnOfOrder(values: ReturnType<typeof valuesOf>): Condition['column'] {
  const lead = conditionNames.find((name) => values[name] !== undefined);
  return lead && (conditions[lead] as Condition).column;
}

const orders = {
  number: { name: 'number', columns: sql`number` },
  updatedAt: { name: 'time', columns: sql`updated_at, number` },
  nameKey: { name: 'name', columns: sql`name_key, number` },
} as const;

export function searchOrder(filters: ContactFilters): Order {
  return orders[columnOfOrder(valuesOf(filters)) ?? 'number'].name;
}

/**
 * Lists a registrar's contacts that meet at least one filter, in the order of the leading filter's index. Returns a
 * page, the number of matches if they are all on it (otherwise null), and the start of the next page, if there may be
 * one, even after a short page. One round trip; two for a page of over 2,000,000 bytes, which is then shorter. Throws
 * `out_of_range` for an offset, `invalid` for a place outside the search.
 */
export function searchReader<Column extends keyof Contact>(
  columns: readonly Column[],
  represent: (contact: Pick<Contact, Column>) => unknown,
  walk = maximumWalk,
) {
  const searches = new Map<string, ReturnType<typeof searchFor>>();
  return async (db: Database, login: Login, page: Page, filters: ContactFilters) => {
    if (page.offset > 0) throw refusal('out_of_range', 'Offset', noOffset);
    const values = valuesOf(filters);
    const names = conditionNames.filter((name) => values[name] !== undefined);
    const column = columnOfOrder(values);
    const search = searches.get(names.join()) ?? searchFor(columns, names, column, walk);
    searches.set(names.join(), search);
    const first = column && (column === 'nameKey' ? values.name : values.since);
    const { after: number = 0, afterKey } = page;
    const key = afterKey?.replace(/^=/, '') ?? first;
    const isWithin = column === 'nameKey' ? key!.startsWith(first!) : (key ?? '') >= (first ?? '');
    if (!isWithin) throw refusal('invalid', 'After', 'after is from another search.');
    const nameEnd = `${values.name}\u{10ffff}`;
    const read = (limit: number) =>
      readWithLogin(db, login, () => [
        search.query(db, { ...loginValues(login), ...values, nameEnd, key, number, limit }),
      ]);
    // One more contact shows whether another page follows.
    const [, [row]] = await read(page.limit + 1).catch((error) => {
      if (isTooLong(error)) return read(Math.ceil(page.limit / 20) + 1);
      throw error;
    });
    const { isShort, last } = row!;
    const rows = contactsIn([row!], search.columns);
    const found = isShort ? rows : rows.slice(0, -1);
    const place = isShort
      ? last && contactsIn([{ json: last }], search.placeColumns)[0]
      : found.at(-1);
    const isOnlyPage = number === 0 && !place;
    return {
      contacts: found.map(represent),
      total: isOnlyPage ? found.length : null,
      next: place ? placeIn(column, place) : undefined,
    };
  };
}

const noOffset = 'A search has no offset: follow the links from the first page.';

function refusal(reason: 'out_of_range' | 'invalid', label: 'Offset' | 'After', detail: string) {
  const message = `${label} is ${reason === 'invalid' ? 'invalid' : 'out of range'}`;
  return new RegistryError([{ reason, message, field: label.toLowerCase(), detail }]);
}

function placeIn(column: Condition['column'], contact: Pick<Contact, 'number'> & Partial<Contact>) {
  const key = column === 'nameKey' ? `=${contact.nameKey}` : column ? contact.updatedAt : '';
  return key + String(contact.number).padStart(15, '0');
}

interface SearchRow extends JsonRow {
  isShort: number;
  /** The end of the walk if no contact follows the page; null if the index ended before. */
  last: string | null;
}

/** One row, because D1 returns it faster than 200. */
function searchFor<Column extends keyof Contact>(
  columns: readonly Column[],
  names: readonly ConditionName[],
  column: Condition['column'],
  maximum: number,
) {
  const placeColumns: (keyof Contact)[] = column ? [column, 'number'] : ['number'];
  const read = [...new Set([...columns, ...placeColumns])] as Column[];
  const { index, walk } = conditions[names[0]!];
  const walked = sql`${contacts} indexed by ${sql.raw(index)}
    where registrar_id = ${registrarOfLogin} and ${walk} order by ${orders[column ?? 'number'].columns}`;
  const matches = sql.join(
    names.map((name) => conditions[name].where),
    sql` and `,
  );
  const query = prepared<SearchRow>(
    () => sql`
    select json, found < ${param('limit')} as "isShort", iif(found < ${param('limit')},
      (select ${jsonOf(placeColumns)} from ${walked} limit 1 offset ${maximum - 1}), null) as last
    from (
      select count(*) as found, ifnull(group_concat(json), '') as json from (
        select ${jsonOf(read)} as json from (select * from ${walked} limit ${maximum}) as ${contacts}
        where ${matches} limit ${param('limit')}
      )
    )`,
  );
  return { query, columns: read, placeColumns };
}
