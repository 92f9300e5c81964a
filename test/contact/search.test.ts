import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { contacts } from '../../drizzle/schema.ts';
import { keysOf } from '../../src/contact/keys.ts';
import { type ContactFilters, searching } from '../../src/contact/search.ts';
import { jsonArrays } from '../../src/database/json-rows.ts';
import { addRegistrar } from '../fixtures.ts';
import { shareWorker } from '../worker.ts';

const worker = shareWorker();

type Sought = Pick<
  typeof contacts.$inferSelect,
  'name' | 'email' | 'ident' | 'identCountryCode' | 'statuses' | 'domainCount' | 'updatedAt'
>;
type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

/** Contacts of the registrar by one statement, numbered from 1. */
async function plant(registrar: Registrar, planted: readonly Sought[]) {
  const rows = planted.map((contact, index) => ({
    ...contact,
    ...keysOf(contact),
    number: index + 1,
  }));
  const { DB } = worker.env;
  const columns = {
    name: 'name',
    name_key: 'nameKey',
    email: 'email',
    email_key: 'emailKey',
    ident: 'ident',
    ident_key: 'identKey',
    ident_country_code: 'identCountryCode',
    statuses: 'statuses',
    domain_count: 'domainCount',
    number: 'number',
    created_at: 'updatedAt',
    updated_at: 'updatedAt',
  };
  await DB.batch(
    jsonArrays(rows).map((array) =>
      DB.prepare(
        `insert into contacts (uuid, registrar_id, code, phone, ident_type, auth_info, ${Object.keys(columns)})
         select ?1 || '-' || key, ?2, ?1 || ':' || (value ->> 'number'), '+372.5', 'priv', 'x',
           ${Object.values(columns).map((name) => `value ->> '${name}'`)} from json_each(?3)`,
      ).bind(registrar.code, registrar.id, array),
    ),
  );
}

const names = ['Mari Maasikas', 'mari mets', 'Märt Õun', 'ÕUNAAED OÜ', 'õunapuu', 'Jaan', 'Ma'];
const emails = ['a@example.ee', 'A@Example.ee', 'õun@example.ee', 'ÕUN@example.ee', 'b@example.ee'];
const idents = ['131052-308T', '131052308t', '38001085718', '1', '2', '3'];
const statuses = [[], [], [], ['pendingDelete'], ['clientUpdateProhibited', 'pendingDelete']];

/** The n-th of some contacts, each of whose fields takes turns at a pace of its own. */
function nth(n: number): Sought {
  const turn = <Value>(values: readonly Value[], pace: number) =>
    values[((n * pace * 7919) >> 3) % values.length] as Value;
  return {
    name: turn(names, 3),
    email: turn(emails, 5),
    ident: turn(idents, 7),
    identCountryCode: turn(['EE', 'EE', 'EE', 'LV'], 11),
    statuses: turn(statuses, 13),
    domainCount: turn([0, 2], 17),
    updatedAt: new Date(Date.UTC(2026, 0, 1 + ((n * 37) % 50))).toISOString(),
  };
}

const all = Array.from({ length: 150 }, (_, index) => nth(index + 1));

/** Whether a contact meets the filters, as the promise says it. */
function matches(contact: Sought, filters: ContactFilters): boolean {
  const fold = (text: string) => text.toLowerCase();
  const bare = (ident: string) => fold(ident).replace(/[^0-9a-z]/g, '');
  const { ident, email, name, status, updatedSince, identCountryCode } = filters;
  const stored = contact.statuses as string[];
  const shown = [...(stored.length ? stored : ['ok']), ...(contact.domainCount ? ['linked'] : [])];
  return (
    (ident === undefined || bare(contact.ident) === bare(ident)) &&
    (email === undefined || fold(contact.email) === fold(email)) &&
    (name === undefined || fold(contact.name).startsWith(fold(name))) &&
    (status === undefined || shown.includes(status)) &&
    (updatedSince === undefined || contact.updatedAt >= updatedSince.toISOString()) &&
    (identCountryCode === undefined || contact.identCountryCode === identCountryCode)
  );
}

/** Every combination of some values of the filters, at least one of which is given. */
const combinations = Object.entries({
  ident: ['131052308T', '4'],
  email: ['a@EXAMPLE.ee', 'Õun@example.ee'],
  name: ['ma', 'õUN'],
  status: ['ok', 'linked', 'pendingDelete'],
  updatedSince: [new Date('2026-01-20T00:00:00Z')],
  identCountryCode: ['EE', 'LV'],
})
  .reduce<ContactFilters[]>(
    (so, [name, values]) =>
      so.flatMap((filters) => [
        filters,
        ...values.map((value: unknown) => ({ ...filters, [name]: value })),
      ]),
    [{}],
  )
  .slice(1);

let registrar: Registrar;
beforeAll(async () => {
  registrar = await addRegistrar(worker.env);
  await plant(registrar, all);
  // Somebody else's, who has the same.
  await plant(await addRegistrar(worker.env), all);
});

/** The numbers of those that match, in the order of the list. */
function numbersOf(filters: ContactFilters): number[] {
  const numbers = all.map((_, index) => index + 1);
  const found = numbers.filter((number) => matches(all[number - 1]!, filters));
  const timeOf = (number: number) => all[number - 1]!.updatedAt;
  return filters.updatedSince
    ? found.sort((one, other) => timeOf(one).localeCompare(timeOf(other)) || one - other)
    : found;
}

const search = (limits?: { counted: number; sorted: number; read: number }) =>
  searching<{ number: number }>([sql`number as number`], ({ number }) => number, limits);

type Search = ReturnType<typeof search>;

/** All pages, by the places where each next one begins. */
async function everyPage(find: Search, filters: ContactFilters, limit: number) {
  const pages: { contacts: unknown[]; total: number }[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const after =
      next === '' ? {} : { after: Number(next.slice(-15)), afterInstant: next.slice(0, -15) };
    const page = await find(worker.db, registrar.login, { limit, offset: 0, ...after }, filters);
    pages.push(page);
    next = page.next;
  }
  return pages;
}

describe.each([
  ['few candidates', undefined],
  ['more candidates than are sorted', { counted: 1_000, sorted: 3, read: 30 + 1_000 }],
  ['more candidates than are counted', { counted: 12, sorted: 5, read: 40 }],
])('with %s', (_, limits) => {
  test('finds exactly the matches in the order of the list, whatever the combination', async () => {
    const find = search(limits);
    const some = combinations.filter((_, index) => index % 9 === (limits?.sorted ?? 1));
    for (const filters of some) {
      const pages = await everyPage(find, filters, 12);
      const expected = numbersOf(filters);
      expect({ filters, found: pages.flatMap(({ contacts }) => contacts) }).toEqual({
        filters,
        found: expected,
      });
      const counted = limits?.counted ?? 10_000;
      for (const { total } of pages) {
        if (total < counted)
          expect({ filters, total }).toEqual({ filters, total: expected.length });
        else expect({ filters, total }).toEqual({ filters, total: counted });
      }
    }
  });
});

test('returns the page at an offset exactly, or refuses it', async () => {
  for (const limits of [undefined, { counted: 60, sorted: 5, read: 100 }]) {
    const find = search(limits);
    let refused = 0;
    for (const filters of combinations.filter((_, index) => index % 18 === 2)) {
      const expected = numbersOf(filters);
      for (const offset of [1, 12, 40]) {
        const page = { limit: 10, offset };
        const { contacts } = await find(worker.db, registrar.login, page, filters).catch(
          (error: Error) => {
            expect(error).toMatchObject({
              problems: [{ reason: 'out_of_range', field: 'offset' }],
            });
            refused += 1;
            return { contacts: undefined };
          },
        );
        if (contacts) expect(contacts).toEqual(expected.slice(offset, offset + 10));
      }
    }
    expect(refused > 0).toBe(limits !== undefined);
  }
});
