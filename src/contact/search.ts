import { type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { Page } from '../database/paging.ts';
import { prepared } from '../database/prepared-query.ts';
import { RegistryError } from '../error.ts';
import { type Login, readWithLogin, registrarOfLogin } from '../registrar/login.ts';
import { searchKey } from '../text/search-key.ts';
import { identityKey } from './identity-code.ts';

/** What a registrar looks for among its contacts: those that meet all of it. */
export interface ContactFilters {
  ident?: string | undefined;
  email?: string | undefined;
  /** The beginning of the name. */
  name?: string | undefined;
  /** One of those that are shown. */
  status?: ContactStatus | 'ok' | 'linked' | undefined;
  updatedSince?: Date | undefined;
  identCountryCode?: string | undefined;
}

/** The most rows that a page may cost. Tests set lower ones, to reach with few contacts what else takes many. */
const bounds = {
  /** Candidates are counted up to this many. */
  counted: 10_000,
  /** Sorting reads each candidate twice more. */
  sorted: 3_000,
  /** The candidates that are counted, and the contacts that are walked through. The page itself takes some 600 more. */
  read: 10_370,
};

interface Condition {
  index: string;
  /** The candidates, which the index leads to. */
  where: SQL;
  /** Whether a candidate meets the condition; absent if each does. */
  fits?: SQL;
}

const given = (name: string) => sql.placeholder(name);

/** From the condition that usually has the fewest candidates to the one that has the most. */
const conditions = {
  ident: { index: 'contacts_by_ident', where: sql`ident_key = ${given('ident')}` },
  email: { index: 'contacts_by_email', where: sql`email_key = ${given('email')}` },
  name: {
    index: 'contacts_by_name',
    where: sql`name_key >= ${given('name')} and name_key < ${given('nameEnd')}`,
  },
  stored: {
    index: 'contacts_with_statuses',
    where: sql`statuses <> '[]'`,
    fits: sql`instr(statuses, ${given('stored')})`,
  },
  linked: { index: 'contacts_linked', where: sql`domain_count > 0` },
  since: { index: 'contacts_by_change', where: sql`updated_at >= ${given('since')}` },
  country: {
    index: 'contacts_by_country',
    where: sql`ident_country_code = ${given('country')}`,
  },
  ok: { index: 'contacts_of_registrar', where: sql`true`, fits: sql`statuses = '[]'` },
} satisfies Record<string, Condition>;
type ConditionName = keyof typeof conditions;
const conditionNames = Object.keys(conditions) as ConditionName[];

/** What is asked for, by the names of the conditions. */
function valuesOf(filters: ContactFilters): Record<ConditionName, string | undefined> {
  const { ident, email, name, status, updatedSince, identCountryCode } = filters;
  const isDerived = status === 'ok' || status === 'linked';
  return {
    ident: ident && identityKey(ident),
    email: email && searchKey(email),
    name: name && searchKey(name),
    stored: isDerived ? undefined : JSON.stringify(status),
    linked: status === 'linked' ? status : undefined,
    since: updatedSince?.toISOString(),
    country: identCountryCode,
    ok: status === 'ok' ? status : undefined,
  };
}

interface Found {
  /** The place in the order: the number in 15 digits, by change after the time of the change. Sorts as text. */
  place: string;
  /** How many candidates there are, at most one more than are counted, and how many of them match. */
  seen: number;
  matches: number;
  /** How many contacts were walked through, and the place of the last one. */
  walked: number;
  last: string;
}

/**
 * A function that lists those of a registrar's contacts that meet the filters, at least one, in the order of their ids,
 * or with `updatedSince` in that of their changes. One round trip. It returns a page, the number of matches, and the
 * place where the next page begins, if there may be one: a page may be short, or empty, although another follows.
 * Throws `out_of_range` for an offset that would take too many rows.
 */
export function searching<Row>(columns: SQL[], shown: (row: Row) => unknown, limits = bounds) {
  const queries = new Map<string, ReturnType<typeof prepared<Row & Found>>>();
  return async (db: Database, login: Login, page: Page, filters: ContactFilters) => {
    const { limit, offset, after: number = 0, afterInstant } = page;
    const until = offset + limit;
    if (until > limits.counted) throw tooFar();
    const values = valuesOf(filters);
    const names = conditionNames.filter((name) => values[name] !== undefined);
    const key = names.join();
    const query =
      queries.get(key) ?? prepared<Row & Found>(() => searchQuery(columns, names, limits));
    queries.set(key, query);
    const start = {
      after: number === 0 ? '' : (afterInstant ?? '') + String(number).padStart(15, '0'),
      // At one instant, every number comes after 0.
      instant: afterInstant ?? values.since,
      number,
    };
    const nameEnd = `${values.name}\u{10ffff}`;
    const [, rows] = await readWithLogin(db, login, () => [
      query(db, { ...login, ...values, nameEnd, ...start, limit, offset, until }),
    ]);
    const sorted = rows.sort((one: Found, other: Found) => (one.place < other.place ? -1 : 1));
    const [{ seen, matches, walked, last }, ...found] = sorted as [Found, ...(Row & Found)[]];
    const isFull = found.length === limit;
    const isCut = !isFull && walked === limits.read - seen + offset;
    if (isCut && offset > 0) throw tooFar();
    return {
      contacts: found.map(shown),
      total: seen > limits.counted ? limits.counted : matches,
      next: isFull ? found.at(-1)?.place : isCut ? last : undefined,
    };
  };
}

function tooFar(): RegistryError {
  const detail = 'It is too far for a search; follow the links from the first page.';
  return new RegistryError([
    { reason: 'out_of_range', message: 'Offset is out of range', field: 'offset', detail },
  ]);
}

/**
 * The query of a page, whose first row has no contact. `found` reads the candidates of the condition that leads to the
 * fewest, each once, and counts. If these are too many to be put in order, or to be read at all, `walked` reads on in
 * the order of the list from where the page begins. Places are collected as JSON, because SQLite counts what it
 * materializes and sorts as read again.
 */
function searchQuery(columns: SQL[], names: readonly ConditionName[], limits: typeof bounds): SQL {
  const isByChange = names.includes('since');
  const lead = names[0]!;
  const isInOrder = isByChange ? lead === 'since' : lead !== 'name';
  const way = isInOrder ? lead : isByChange ? 'since' : 'ok';
  const constant = (number: number) => sql.raw(String(number));
  const most = constant(isInOrder ? limits.counted : limits.sorted);
  const fits = names.flatMap((name): SQL[] => {
    const { where, fits }: Condition = conditions[name];
    return fits ? [where, fits] : [where];
  });
  const number = sql`printf('%015d', number)`;
  const places = (name: ConditionName, where: SQL) => sql`
    select ${isByChange ? sql`updated_at || ${number}` : number} as place,
      ${sql.join(fits, sql` and `)} as fits
    from ${contacts} indexed by ${sql.raw(conditions[name].index)}
    where registrar_id = ${registrarOfLogin} and ${where}`;
  const onward = isByChange
    ? sql`(updated_at, number) > (${given('instant')}, ${given('number')}) order by updated_at, number`
    : sql`${conditions[way].where} and number > ${given('number')} order by number`;
  return sql`
    with found as materialized (
      select count(*) as seen, total(fits) as matches,
        json_group_array(place) filter (where fits and place > ${given('after')}) as places
      from (${places(lead, conditions[lead].where)} limit ${constant(limits.counted + 1)})
    ), walked as materialized (
      select count(*) as seen, max(place) as last,
        json_group_array(place) filter (where fits) as places
      from (${places(way, onward)} limit (
        select iif(seen > ${most}, ${constant(limits.read)} - seen + ${given('offset')}, 0) from found))
    )
    select (select seen from found) as seen, (select matches from found) as matches,
      (select seen from walked) as walked, (select last from walked) as last,
      place, ${sql.join(columns, sql`, `)}
    from (
      select '' as place union all
      select value from (
        select value from (
          select value from json_each((select places from found where seen <= ${most}))
          ${isInOrder ? sql`` : sql`order by value limit ${given('until')}`}
        ) union all
        select value from json_each((select places from walked))
        limit ${given('limit')} offset ${given('offset')}
      )
    ) left join ${contacts} indexed by contacts_of_registrar
      on registrar_id = ${registrarOfLogin} and number = cast(substr(place, -15) as integer)`;
}
