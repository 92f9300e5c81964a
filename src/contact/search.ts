import { type SQL, sql } from 'drizzle-orm';
import {
  type ContactStatus,
  contacts,
  demandDay,
  hasOpenDemand,
  isUnverified,
} from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { Order, Page } from '../base/database/paging.ts';
import { prepared } from '../base/database/prepared-query.ts';
import { isTooLong } from '../base/database/violations.ts';
import { RegistryError } from '../base/error.ts';
import { storedNameKeys } from '../base/text/search-key.ts';
import {
  type Login,
  loginValues,
  readWithLogin,
  registrarOfLogin,
} from '../party/registrar/login.ts';
import type { Contact } from './contact.ts';
import { identityKey } from './identity-code.ts';
import { identitiesIn } from './identity-typed.ts';
import { type JsonRow, jsonOf, parseContacts } from './json-columns.ts';
import { mailboxKey } from './mailbox.ts';

export interface ContactFilters {
  ident?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  status?: ContactStatus | 'ok' | 'linked' | undefined;
  isUnverified?: boolean;
  isDemanded?: boolean;
  updatedSince?: Date | undefined;
  identCountryCode?: string | undefined;
}

/** Contacts that one request walks through. To find the last of them, a short page walks twice. */
const maximumWalk = 5_000;

interface Condition {
  index: string;
  /** The column before the number in the index's order; of the demand, its day. */
  column?: 'updatedAt' | 'nameKey' | 'verificationDemand';
  /** Selects the part of the index that a walk may have to read, from the page's start on. */
  walk: SQL;
  /** Selects another part: that of another reading of the value, null without one, or of the next days. */
  walkToo?: SQL;
  where: SQL;
}

const param = (name: string) => sql.placeholder(name);
const onward = sql`number > ${param('number')}`;
const equals = (column: string, name: string) => {
  const where = sql`${sql.raw(column)} = ${param(name)}`;
  return { walk: sql`${where} and ${onward}`, where };
};

/** Names entered with repeated blanks before a release that makes them one, and are their own key. */
const withSingleBlanks = sql.raw(
  `replace(replace(replace(name_key, ' ', char(1, 2)), char(2, 1), ''), char(1, 2), ' ')`,
);

const isOfCountry = sql`ident_country_code = ${param('identCountry')}`;
const ident = equals('ident_key', 'ident');
const identOfCountry = equals('ident_key', 'identOfCountry');

/** The first one in use leads the search. Without `>=`, which would make SQLite ignore the page's start. */
const conditions = {
  demand: {
    index: 'contacts_demanded',
    column: 'verificationDemand',
    walk: sql`${hasOpenDemand} and ${demandDay} = ${param('key')} and ${onward}`,
    walkToo: sql`${hasOpenDemand} and ${demandDay} > ${param('key')}`,
    where: hasOpenDemand,
  },
  ident: {
    index: 'contacts_by_ident',
    walk: ident.walk,
    walkToo: sql`${identOfCountry.walk} and ${isOfCountry}`,
    where: sql`(${ident.where} or ${identOfCountry.where} and ${isOfCountry})`,
  },
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
    walk: sql`(name_key, number) > (part.value ->> 0, part.value ->> 1) and name_key < part.value ->> 2`,
    where: sql`exists (select 1 from json_each(${param('name')}) as asked
      where substr(${withSingleBlanks}, 1, length(asked.value)) = asked.value)`,
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
  const identities = ident === undefined ? undefined : identitiesIn(ident);
  return {
    demand: filters.isDemanded ? 'open' : undefined,
    ident: identities && identityKey(identities[0].ident),
    email: email && mailboxKey(email),
    since: updatedSince?.toISOString(),
    stored: isDerived ? undefined : JSON.stringify(status),
    name: name && JSON.stringify(storedNameKeys(name)),
    linked: status === 'linked' ? status : undefined,
    unverified: filters.isUnverified ? 'unverified' : undefined,
    country: identCountryCode,
    ok: status === 'ok' ? status : undefined,
  };
}

/** The other reading of an identity; null without one. */
function identityOfCountry({ ident }: ContactFilters) {
  const [, other] = ident === undefined ? [] : identitiesIn(ident);
  return {
    identOfCountry: other ? identityKey(other.ident) : null,
    identCountry: other?.identCountryCode ?? null,
  };
}

interface Part {
  start: string;
  number: number;
}

/**
 * The parts of the order by name that have names which begin with one of these, from the page's start on. Names that were
 * entered with repeated blanks stand apart: after each word, they begin with two.
 */
function partsOf(keys: readonly string[], from: Part | undefined): string {
  const starts = keys.flatMap((key) => {
    const gaps = [...key.matchAll(/ /g)].map(({ index }) => `${key.slice(0, index)}  `);
    return [key, ...gaps];
  });
  const isApart = (start: string) =>
    !starts.some((other) => other !== start && start.startsWith(other));
  const apart = [...new Set(starts)].filter(isApart).sort(compareCodePoints);
  const parts = apart.map((start) => ({ start, number: 0, end: `${start}\u{10ffff}` }));
  const rest = parts.filter(({ end }) => !from || compareCodePoints(from.start, end) < 0);
  const isLater = rest[0] && from && compareCodePoints(rest[0].start, from.start) <= 0;
  if (isLater) Object.assign(rest[0]!, from);
  return JSON.stringify(rest.map(({ start, number, end }) => [start, number, end]));
}

/** SQLite compares UTF-8, which has the order of code points. */
function compareCodePoints(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => Array.from(text, (c) => c.codePointAt(0)!));
  const place = first!.findIndex((code, index) => code !== second![index]);
  if (place === -1) return first!.length - second!.length;
  return first![place]! - (second![place] ?? -1);
}

function columnOfOrder(values: ReturnType<typeof valuesOf>): Condition['column'] {
  const lead = conditionNames.find((name) => values[name] !== undefined);
  return lead && (conditions[lead] as Condition).column;
}

const orders = {
  number: { name: 'number', columns: sql`number` },
  updatedAt: { name: 'time', columns: sql`updated_at, number` },
  nameKey: { name: 'name', columns: sql`name_key, number` },
  verificationDemand: { name: 'day', columns: sql`` },
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
    const { after: number = 0, afterKey } = page;
    const first = (column === 'updatedAt' && values.since) || '';
    const key = afterKey?.replace(/^=/, '') ?? first;
    const keys = filters.name === undefined ? [] : storedNameKeys(filters.name);
    const isNamed = keys.some((start) => key.replace(/ +/g, ' ').startsWith(start));
    const isWithin = column === 'nameKey' ? number === 0 || isNamed : key >= first;
    if (!isWithin) throw refusal('invalid', 'After', 'after is from another search.');
    const parts = partsOf(keys, number === 0 ? undefined : { start: key, number });
    const given = { ...loginValues(login), ...values, ...identityOfCountry(filters), parts };
    const read = (limit: number) =>
      readWithLogin(db, login, () => [search.query(db, { ...given, key, number, limit })]);
    // One more contact shows whether another page follows.
    const [, [row]] = await read(page.limit + 1).catch((error) => {
      if (isTooLong(error)) return read(Math.ceil(page.limit / 20) + 1);
      throw error;
    });
    const { isShort, last } = row!;
    const rows = parseContacts([row!], search.columns);
    const found = isShort ? rows : rows.slice(0, -1);
    const place = isShort
      ? last && parseContacts([{ json: last }], search.placeColumns)[0]
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
  const keys = {
    updatedAt: contact.updatedAt,
    nameKey: `=${contact.nameKey}`,
    verificationDemand: contact.verificationDemand?.by,
  };
  return (column ? keys[column] : '') + String(contact.number).padStart(15, '0');
}

interface SearchRow extends JsonRow {
  isShort: number;
  /** The end of the walk if no contact follows the page; null if the index ended before. */
  last: string | null;
}

/** The contacts that a search walks through, in the order of the index. */
function walkOf({ index, column, walk, walkToo }: Condition): SQL {
  const select = (parts: SQL, part: SQL) => sql`select ${contacts}.* from ${parts}
    ${contacts} indexed by ${sql.raw(index)} where registrar_id = ${registrarOfLogin} and ${part}`;
  // SQLite reads the parts one after the other, each in the index's order, and would sort all for an `order by`.
  if (column === 'nameKey')
    return select(sql`json_each(${param('parts')}) as part cross join`, walk);
  const parts = [walk, ...(walkToo ? [walkToo] : [])].map((part) => select(sql``, part));
  const all = sql.join(parts, sql` union all `);
  // One day, and then the next ones.
  if (column === 'verificationDemand') return all;
  return sql`${all} order by ${orders[column ?? 'number'].columns}`;
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
  const walked = walkOf(conditions[names[0]!]);
  const matches = sql.join(
    names.map((name) => conditions[name].where),
    sql` and `,
  );
  const query = prepared<SearchRow>(
    () => sql`
    select json, found < ${param('limit')} as "isShort", iif(found < ${param('limit')},
      (select ${jsonOf(placeColumns)} from (${walked} limit 1 offset ${maximum - 1}) as ${contacts}), null) as last
    from (
      select count(*) as found, ifnull(group_concat(json), '') as json from (
        select ${jsonOf(read)} as json from (${walked} limit ${maximum}) as ${contacts}
        where ${matches} limit ${param('limit')}
      )
    )`,
  );
  return { query, columns: read, placeColumns };
}
