import { type SQL, sql } from 'drizzle-orm';
import { type ContactStatus, contacts, isUnverified } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import type { Page } from '../base/database/paging.ts';
import { prepared } from '../base/database/prepared-query.ts';
import { RegistryError } from '../base/error.ts';
import { searchKey } from '../base/text/search-key.ts';
import {
  type Login,
  loginValues,
  readWithLogin,
  registrarOfLogin,
} from '../party/registrar/login.ts';
import type { Contact } from './contact.ts';
import { identityKey } from './identity-code.ts';
import { contactsIn, type JsonRow, jsonOf } from './json-columns.ts';
import { emailKeys } from './mailbox.ts';

export interface ContactFilters {
  ident?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  status?: ContactStatus | 'ok' | 'linked' | undefined;
  isUnverified?: boolean;
  updatedSince?: Date | undefined;
  identCountryCode?: string | undefined;
}

/** Limits of a page's cost in rows. Tests set lower ones. */
const bounds = {
  /** Candidates counted for a single condition. */
  counted: 10_000,
  /** Candidates counted for several conditions together, which leaves rows for the walk. */
  countedOfSeveral: 6_000,
  /** Rows for counting, sorting and walking together. The page itself takes about 600 more. */
  read: 10_350,
};

interface Condition {
  index: string;
  where: SQL;
  fits?: SQL;
}

const param = (name: string) => sql.placeholder(name);

/** Ordered by usual selectivity, since the first five in use lead the search. */
const conditions = {
  ident: { index: 'contacts_by_ident', where: sql`ident_key = ${param('ident')}` },
  email: { index: 'contacts_by_email', where: sql`email_key = ${param('email')}` },
  emails: {
    index: 'contacts_by_email',
    where: sql`email_key in (select value from json_each(${param('emails')}))`,
  },
  name: {
    index: 'contacts_by_name',
    where: sql`name_key >= ${param('name')} and name_key < ${param('nameEnd')}`,
  },
  stored: {
    index: 'contacts_with_statuses',
    where: sql`statuses <> '[]'`,
    fits: sql`instr(statuses, ${param('stored')})`,
  },
  linked: { index: 'contacts_linked', where: sql`domain_count > 0` },
  unverified: { index: 'contacts_unverified', where: isUnverified },
  since: { index: 'contacts_by_change', where: sql`updated_at >= ${param('since')}` },
  country: {
    index: 'contacts_by_country',
    where: sql`ident_country_code = ${param('country')}`,
  },
  ok: { index: 'contacts_of_registrar', where: sql`true`, fits: sql`statuses = '[]'` },
} satisfies Record<string, Condition>;
type ConditionName = keyof typeof conditions;
const conditionNames = Object.keys(conditions) as ConditionName[];

function valuesOf(filters: ContactFilters): Record<ConditionName, string | undefined> {
  const { ident, email, name, status, updatedSince, identCountryCode } = filters;
  const keys = email ? emailKeys(email) : [];
  const isDerived = status === 'ok' || status === 'linked';
  return {
    ident: ident && identityKey(ident),
    email: keys.length === 1 ? keys[0] : undefined,
    emails: keys.length > 1 ? JSON.stringify(keys) : undefined,
    name: name && searchKey(name),
    stored: isDerived ? undefined : JSON.stringify(status),
    linked: status === 'linked' ? status : undefined,
    unverified: filters.isUnverified ? 'unverified' : undefined,
    since: updatedSince?.toISOString(),
    country: identCountryCode,
    ok: status === 'ok' ? status : undefined,
  };
}

interface MatchRow extends JsonRow {
  /**
   * The key of the list's order, sorted as text: the number in 15 digits, in searches by change after the time of the
   * change.
   */
  place: string;
  /** At most the bound; null if there are too many candidates to tell. */
  matches: number | null;
  tally: number;
  /** The number of contacts in the walk, and the last one's place. */
  walked: number;
  last: string;
}

/**
 * Lists a registrar's contacts that meet at least one filter, in the order of ids or, with `updatedSince`, of changes.
 * Returns a page, the number of matches (at most the bound; null if not counted) and the start of the next page, if
 * there may be one, even after a short page. One round trip. Throws `out_of_range` for an offset that would take too
 * many rows.
 */
export function searching<Column extends keyof Contact>(
  columns: readonly Column[],
  represent: (contact: Pick<Contact, Column>) => unknown,
  limits = bounds,
) {
  const searches = new Map<string, ReturnType<typeof searchFor>>();
  return async (db: Database, login: Login, page: Page, filters: ContactFilters) => {
    const { limit, offset, after: number = 0, afterInstant } = page;
    if (offset + limit > limits.counted) throw tooFar();
    const values = valuesOf(filters);
    const names = conditionNames.filter((name) => values[name] !== undefined);
    const key = names.join();
    const search = searches.get(key) ?? searchFor(columns, names, limits);
    searches.set(key, search);
    const after = number === 0 ? '' : (afterInstant ?? '') + String(number).padStart(15, '0');
    // Every number comes after 0.
    const start = { after, instant: afterInstant ?? values.since, number };
    const nameEnd = `${values.name}\u{10ffff}`;
    const [, rows] = await readWithLogin(db, login, () => [
      search(db, { ...loginValues(login), ...values, nameEnd, ...start, limit, offset }),
    ]);
    const sorted = rows.sort((first: MatchRow, second: MatchRow) =>
      first.place < second.place ? -1 : 1,
    );
    const [figures, ...matchRows] = sorted as [MatchRow, ...MatchRow[]];
    const { matches, tally, walked, last } = figures;
    const isFull = matchRows.length === limit;
    const isCut = walked === limits.read - tally;
    if (isCut && !isFull && offset > 0) throw tooFar();
    const next = isFull ? matchRows.at(-1)?.place : isCut ? last : undefined;
    const isOnlyPage = after === '' && offset === 0 && next === undefined;
    const total = matches ?? (isOnlyPage ? matchRows.length : null);
    return { contacts: contactsIn(matchRows, columns).map(represent), total, next };
  };
}

function tooFar(): RegistryError {
  const detail = 'The offset is too far for this search; follow the links from the first page.';
  return new RegistryError([
    { reason: 'out_of_range', message: 'Offset is out of range', field: 'offset', detail },
  ]);
}

/**
 * Counts each condition's candidates. The result is the matches among the fewest. If these are too many, a walk begins
 * at the page's start. Places are collected as JSON and cut as text, because D1 counts materialized and sorted rows
 * again.
 */
function searchFor(
  columns: readonly (keyof Contact)[],
  names: readonly ConditionName[],
  limits: typeof bounds,
) {
  // Most contacts have no status, and D1 accepts five terms in a UNION.
  const leads = names.filter((name) => names.length === 1 || name !== 'ok').slice(0, 5);
  const bound =
    leads.length === 1 ? limits.counted : Math.floor(limits.countedOfSeveral / leads.length);
  const isByChange = names.includes('since');
  const isInOrder = (name: ConditionName) =>
    isByChange ? name === 'since' : !['name', 'emails'].includes(name);
  const place = sql.raw(`${isByChange ? 'updated_at || ' : ''}printf('%015d', number)`);
  const fits = names.flatMap((name): SQL[] => {
    const { where, fits }: Condition = conditions[name];
    return fits ? [where, fits] : [where];
  });
  const candidatesOf = (name: ConditionName, where: SQL) => sql`
    select ${place} as place, ${sql.join(fits, sql` and `)} as fits
    from ${contacts} indexed by ${sql.raw(conditions[name].index)}
    where registrar_id = (select id from registrar) and ${where}`;
  const counted = leads.map((name) =>
    countedMatches(candidatesOf(name, conditions[name].where), bound, isInOrder(name)),
  );
  const walkName = names.find(isInOrder) ?? 'ok';
  const onward = isByChange
    ? sql`(updated_at, number) > (${param('instant')}, ${param('number')}) order by updated_at, number`
    : sql`${conditions[walkName].where} and number > ${param('number')} order by number`;
  /** Includes the comma. */
  const width = constant(isByChange ? 42 : 18);
  const start = sql`2 + ${param('offset')} * ${width}`;
  return prepared<MatchRow>(
    () => sql`
    with registrar as materialized (select ${registrarOfLogin} as id),
    counted as materialized (${sql.join(counted, sql` union all `)}),
    fewest as materialized (
      select *, (select sum(candidates) from counted) as tally from counted
        order by candidates, sorting limit 1
    ),
    ordered as materialized (${orderedMatches(bound, limits.read)}),
    walk as materialized (${walkedMatches(candidatesOf(walkName, onward), limits.read)})
    select iif(candidates <= ${constant(bound)} or matches >= ${constant(limits.counted)},
        min(matches, ${constant(limits.counted)}), null) as matches, tally, walked, last,
      value as place, ${jsonOf(columns)} as json
    from fewest cross join walk cross join json_each('[' || ltrim(replace(substr(
      ifnull((select places from ordered), walk.places), ${start}, ${param('limit')} * ${width}
    ), ']', ','), ',') || '""]')
    left join ${contacts} indexed by contacts_of_registrar
      on registrar_id = (select id from registrar) and number = cast(substr(value, -15) as integer)`,
  );
}

/** SQL text, because D1 limits a query to a hundred parameters. */
const constant = (number: number) => sql.raw(String(number));

const countedMatches = (candidates: SQL, bound: number, isInOrder: boolean) => sql`
  select count(*) as candidates, total(fits) as matches, ${constant(isInOrder ? 0 : 2)} as sorting,
    json_group_array(place) filter (where fits and place > ${param('after')}) as places
  from (${candidates} limit ${constant(bound + 1)})`;

/**
 * Selects the matches among the fewest candidates in order, if all were counted or they fill the page. Sorting reads
 * candidates twice more, within `read` in total.
 */
const orderedMatches = (bound: number, read: number) => sql`
  select iif(sorting,
    (select json_group_array(value order by value) from json_each(places)), places) as places
  from fewest
  where iif(candidates <= ${constant(bound)}, tally + sorting * candidates <= ${constant(read)},
    not sorting and json_array_length(places) >= ${param('offset')} + ${param('limit')})`;

/** Selects the matches from the page's start, unless `ordered` has them. Reads at most the rest of `read`. */
const walkedMatches = (onward: SQL, read: number) => sql`
  select count(*) as walked, max(place) as last, json_group_array(place) filter (where fits) as places
  from (${onward}
    limit (select iif(exists (select 1 from ordered), 0, ${constant(read)} - tally) from fewest))`;
