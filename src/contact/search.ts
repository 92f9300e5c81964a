import { type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import type { Page } from '../database/paging.ts';
import { prepared } from '../database/prepared-query.ts';
import { RegistryError } from '../error.ts';
import { type Login, readWithLogin, registrarOfLogin } from '../registrar/login.ts';
import { searchKey } from '../text/search-key.ts';
import { identityKey } from './identity-code.ts';

/** The conditions of a registrar's search among its contacts. A contact has to meet all of them. */
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

/** The bounds of a page's cost in rows. Tests set lower ones, and reach them with few contacts. */
const bounds = {
  /** The candidates of one condition are counted up to this many, */
  counted: 10_000,
  /** those of several up to this many together, which leaves some for walking. */
  countedOfSeveral: 6_000,
  /** Counting, sorting and walking together. The page itself takes some 600 more. */
  read: 10_350,
};

interface Condition {
  index: string;
  /** The candidates, which the index leads to. */
  where: SQL;
  /** Whether a candidate meets the condition; absent if each does. */
  fits?: SQL;
}

const given = (name: string) => sql.placeholder(name);

/** Usually the most selective first: the first five that are asked for lead the search. */
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

/** The values asked for, by the names of the conditions. */
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
  /** The candidates of the condition that has the fewest, at most one more than are counted, and the matches among them. */
  candidates: number;
  matches: number;
  /** The contacts counted in all. */
  seen: number;
  /** The number of contacts walked through, and the place of the last one. */
  walked: number;
  last: string;
}

/**
 * A function that lists those of a registrar's contacts that meet the filters, at least one, in the order of their ids,
 * or with `updatedSince` in that of their changes. One round trip. It returns a page, the number of matches, which is the
 * same on all pages and the bound if they were not counted, and the place where the next page begins, if there may be
 * one: a page may be short, or empty, although another follows.
 * Throws `out_of_range` for an offset that would take too many rows.
 */
export function searching<Row>(columns: SQL[], shown: (row: Row) => unknown, limits = bounds) {
  const searches = new Map<string, Search<Row>>();
  return async (db: Database, login: Login, page: Page, filters: ContactFilters) => {
    const { limit, offset, after: number = 0, afterInstant } = page;
    if (offset + limit > limits.counted) throw tooFar();
    const values = valuesOf(filters);
    const names = conditionNames.filter((name) => values[name] !== undefined);
    const key = names.join();
    const search = searches.get(key) ?? searchFor<Row>(columns, names, limits);
    searches.set(key, search);
    const after = number === 0 ? '' : (afterInstant ?? '') + String(number).padStart(15, '0');
    // At one instant, every number comes after 0.
    const start = { after, instant: afterInstant ?? values.since, number };
    const nameEnd = `${values.name}\u{10ffff}`;
    const [, rows] = await readWithLogin(db, login, () => [
      search.query(db, { ...login, ...values, nameEnd, ...start, limit, offset }),
    ]);
    const sorted = rows.sort((one: Found, other: Found) => (one.place < other.place ? -1 : 1));
    const [figures, ...found] = sorted as [Found, ...(Row & Found)[]];
    const { candidates, matches, seen, walked, last } = figures;
    const isFull = found.length === limit;
    const isCut = walked === limits.read - seen;
    if (isCut && !isFull && offset > 0) throw tooFar();
    const next = isFull ? found.at(-1)?.place : isCut ? last : undefined;
    const isOnlyPage = after === '' && offset === 0 && next === undefined;
    const uncounted = isOnlyPage ? found.length : limits.counted;
    const total = candidates <= search.bound ? matches : uncounted;
    return { contacts: found.map(shown), total, next };
  };
}

function tooFar(): RegistryError {
  const detail = 'The offset is too far for this search; follow the links from the first page.';
  return new RegistryError([
    { reason: 'out_of_range', message: 'Offset is out of range', field: 'offset', detail },
  ]);
}

interface Search<Row> {
  query: ReturnType<typeof prepared<Row & Found>>;
  /** The candidates of each condition are counted up to this many. */
  bound: number;
}

/**
 * The search for the conditions of these names. The candidates of each are read from its index and counted. The
 * matches among the fewest are the result, unless these are too many to be put in order. If there are more than are
 * read, they are the beginning of the result where they are in order, which may be enough for the page. Otherwise a walk
 * goes on in the order of the list from where the page begins. Places are collected as JSON and cut as text,
 * because SQLite counts what it materializes and sorts as read again.
 */
function searchFor<Row>(
  columns: SQL[],
  names: readonly ConditionName[],
  limits: typeof bounds,
): Search<Row> {
  const isByChange = names.includes('since');
  const isInOrder = (name: ConditionName) => (isByChange ? name === 'since' : name !== 'name');
  // Those without a status are the most, and D1 takes five terms in a UNION.
  const leads = names.filter((name) => names.length === 1 || name !== 'ok').slice(0, 5);
  const bound =
    leads.length === 1 ? limits.counted : Math.floor(limits.countedOfSeveral / leads.length);
  // A login takes six parameters, of which D1 binds a hundred.
  const registrar = sql`(select id from registrar)`;
  const constant = (number: number) => sql.raw(String(number));
  const number = sql`printf('%015d', number)`;
  const place = isByChange ? sql`updated_at || ${number}` : number;
  const placeLength = isByChange ? 39 : 15;
  const fits = names.flatMap((name): SQL[] => {
    const { where, fits }: Condition = conditions[name];
    return fits ? [where, fits] : [where];
  });
  const judged = (name: ConditionName, where: SQL) => sql`
    select ${place} as place, ${sql.join(fits, sql` and `)} as fits
    from ${contacts} indexed by ${sql.raw(conditions[name].index)}
    where registrar_id = ${registrar} and ${where}`;

  /** The matches among a condition's candidates. To be put in order, they are read twice more. */
  const candidatesOf = (name: ConditionName) => sql`
    select count(*) as candidates, total(fits) as matches, ${constant(isInOrder(name) ? 0 : 2)} as sorting,
      json_group_array(place) filter (where fits and place > ${given('after')}) as places
    from (${judged(name, conditions[name].where)} limit ${constant(bound + 1)})`;

  /** The matches in the order of the list, as many as there are rows left for. */
  const walk = () => {
    const way = isByChange ? 'since' : (names.find(isInOrder) ?? 'ok');
    const onward = isByChange
      ? sql`(updated_at, number) > (${given('instant')}, ${given('number')}) order by updated_at, number`
      : sql`${conditions[way].where} and number > ${given('number')} order by number`;
    return sql`
      select count(*) as walked, max(place) as last,
        json_group_array(place) filter (where fits) as places
      from (${judged(way, onward)} limit (
        select iif(exists (select 1 from few), 0, ${constant(limits.read)} - seen) from fewest))`;
  };

  // As subqueries, which are read once and not again for each contact.
  const figures = sql.join(
    [
      ...['candidates', 'matches', 'seen'].map((name) => [name, 'fewest']),
      ...['walked', 'last'].map((name) => [name, 'walked']),
    ].map(([name, from]) => sql.raw(`(select "${name}" from ${from}) as "${name}"`)),
    sql`, `,
  );

  return {
    bound,
    query: prepared<Row & Found>(
      () => sql`
    with registrar as materialized (select ${registrarOfLogin} as id),
    leads as materialized (${sql.join(leads.map(candidatesOf), sql` union all `)}),
    fewest as materialized (
      select *, (select sum(candidates) from leads) as seen from leads order by candidates, sorting limit 1
    ), few as materialized (
      select iif(sorting, (select json_group_array(value order by value) from json_each(places)), places) as places
      from fewest
      where iif(candidates <= ${constant(bound)}, seen + sorting * candidates <= ${constant(limits.read)},
        not sorting and json_array_length(places) >= ${given('offset')} + ${given('limit')})
    ), walked as materialized (${walk()}),
    page as (
      select substr(ifnull((select places from few), (select places from walked)),
        2 + ${given('offset')} * ${constant(placeLength + 3)}, ${given('limit')} * ${constant(placeLength + 3)}) as places
    )
    select ${figures}, place, ${sql.join(columns, sql`, `)}
    from (
      select '' as place union all
      select value from json_each((select '[' || rtrim(places, ',]') || ']' from page))
    ) left join ${contacts} indexed by contacts_of_registrar
      on registrar_id = ${registrar} and number = cast(substr(place, -15) as integer)`,
    ),
  };
}
