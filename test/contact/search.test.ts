import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { contacts } from '../../drizzle/schema.ts';
import { jsonArrays } from '../../src/base/database/json-rows.ts';
import { keysOf } from '../../src/contact/contact.ts';
import { type ContactFilters, searching } from '../../src/contact/search.ts';
import { addRegistrar } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

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
const emails = [
  ...['a@example.ee', 'A@Example.ee', 'õun@example.ee', 'ÕUN@example.ee', 'b@example.ee'],
  ...['info@õun.ee', 'INFO@ÕUN.ee', 'info@xn--un-bka.ee', 'info@XN--UN-BKA.EE', 'info@oun.ee'],
];
const idents = ['131052-308T', '131052308t', '47101010033', '1', '2', '3'];
const statuses = [[], [], [], ['pendingDelete'], ['clientUpdateProhibited', 'pendingDelete']];

/** The fields are independent, so that each value meets each other one. */
const anyContact: fc.Arbitrary<Sought> = fc.record({
  name: fc.constantFrom(...names),
  email: fc.constantFrom(...emails),
  ident: fc.constantFrom(...idents),
  identCountryCode: fc.constantFrom('EE', 'EE', 'EE', 'LV'),
  statuses: fc.constantFrom(...statuses),
  domainCount: fc.constantFrom(0, 2),
  updatedAt: fc
    .integer({ min: 1, max: 50 })
    .map((day) => new Date(Date.UTC(2026, 0, day)).toISOString()),
});

/** The same in every run. */
const sample = <Value>(values: fc.Arbitrary<Value>, numRuns: number, seed: number) =>
  fc.sample(values, { numRuns, seed, unbiased: true });

const all = sample(anyContact, 150, 1);

/** Whether a contact meets the filters, as the promise says it. */
function matches(contact: Sought, filters: ContactFilters): boolean {
  const fold = (text: string) => text.toLowerCase();
  const bare = (ident: string) => fold(ident).replace(/[^0-9a-z]/g, '');
  const mailbox = (text: string) => fold(text.split('@')[0]!) + new URL(`http://${text}`).hostname;
  const { ident, email, name, status, updatedSince, identCountryCode } = filters;
  const stored = contact.statuses as string[];
  const shown = [...(stored.length ? stored : ['ok']), ...(contact.domainCount ? ['linked'] : [])];
  return (
    (ident === undefined || bare(contact.ident) === bare(ident)) &&
    (email === undefined || mailbox(contact.email) === mailbox(email)) &&
    (name === undefined || fold(contact.name).startsWith(fold(name))) &&
    (status === undefined || shown.includes(status)) &&
    (updatedSince === undefined || contact.updatedAt >= updatedSince.toISOString()) &&
    (identCountryCode === undefined || contact.identCountryCode === identCountryCode)
  );
}

/** Every combination of some values of the filters, at least one of which is given. */
const combinations = Object.entries({
  ident: ['131052308T', '4'],
  email: ['a@EXAMPLE.ee', 'Õun@example.ee', 'info@õun.EE', 'Info@xn--UN-bka.ee'],
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

/** Each filter by itself, and this many of the combinations. */
function someOf(count: number, seed: number): ContactFilters[] {
  const isSingle = (filters: ContactFilters) => Object.keys(filters).length === 1;
  const several = combinations.filter((filters) => !isSingle(filters));
  const some = sample(fc.constantFrom(...several), count, seed);
  return [...combinations.filter(isSingle), ...some];
}

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

const search = (limits?: { counted: number; countedOfSeveral: number; read: number }) =>
  searching(['number'], ({ number }) => number, limits);

type Search = ReturnType<typeof search>;

/** All pages, by the places where each next one begins. */
async function everyPage(find: Search, filters: ContactFilters, limit: number) {
  const pages: { contacts: unknown[]; total: number | null }[] = [];
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
  ['few candidates', 1, undefined],
  ['more candidates than are sorted', 2, { counted: 150, countedOfSeveral: 150, read: 190 }],
  ['more candidates than are counted', 3, { counted: 12, countedOfSeveral: 12, read: 40 }],
])('with %s', (_, seed, limits) => {
  const counted = limits?.counted ?? 10_000;
  let searched: { filters: ContactFilters; pages: Awaited<ReturnType<typeof everyPage>> }[];
  beforeAll(async () => {
    const find = search(limits);
    const some = someOf(30, seed);
    const pages = await Promise.all(some.map((filters) => everyPage(find, filters, 12)));
    searched = some.map((filters, index) => ({ filters, pages: pages[index]! }));
  });

  test('finds exactly the matches in the order of the list, whatever the combination', () => {
    for (const { filters, pages } of searched) {
      const found = pages.flatMap(({ contacts }) => contacts);
      expect({ filters, found }).toEqual({ filters, found: numbersOf(filters) });
    }
  });

  test('counts the matches as far as it says, or says that it did not', () => {
    for (const { filters, pages } of searched) {
      const count = numbersOf(filters).length;
      for (const { total } of pages) {
        const isTrue = total === Math.min(count, counted) || (limits && total === null);
        expect({ filters, total, isTrue }).toEqual({ filters, total, isTrue: true });
      }
    }
  });

  test('counts the matches of one filter exactly, and those that are all on one page', () => {
    for (const { filters, pages } of searched) {
      const count = numbersOf(filters).length;
      const [first, ...others] = pages;
      const [filter, ...more] = Object.keys(filters);
      const isOneFilter = more.length === 0 && filter !== 'status';
      if (!isOneFilter && others.length > 0) continue;
      const total = isOneFilter ? Math.min(count, counted) : count;
      expect({ filters, total: first!.total }).toEqual({ filters, total });
    }
  });
});

test('gives the same total on every page, even if the first has walked through all contacts', async () => {
  const find = search({ counted: 20, countedOfSeveral: 20, read: 200 });
  const several: ContactFilters[] = [{ status: 'ok' }, { name: 'm', identCountryCode: 'EE' }];
  for (const filters of several) {
    const pages = await everyPage(find, filters, 12);
    expect(pages.length).toBeGreaterThan(2);
    const totals = pages.map(({ total }) => total);
    expect({ filters, totals }).toEqual({ filters, totals: pages.map(() => null) });
  }
});

test('returns the page at an offset exactly, or refuses it', async () => {
  for (const limits of [undefined, { counted: 60, countedOfSeveral: 40, read: 100 }]) {
    const find = search(limits);
    let refused = 0;
    for (const filters of someOf(12, 4)) {
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

test('returns the page at any offset among the candidates that are counted in order', async () => {
  const find = search({ counted: 60, countedOfSeveral: 60, read: 70 });
  const identCountryCode = 'EE';
  const updatedSince = new Date('2026-01-01T00:00:00Z');
  const several: [offset: number, ContactFilters][] = [
    [50, { identCountryCode }],
    [50, { updatedSince }],
    [10, { identCountryCode, updatedSince }],
    [1, { identCountryCode, name: 'm' }],
  ];
  for (const [offset, filters] of several) {
    const page = { limit: 10, offset };
    const { contacts } = await find(worker.db, registrar.login, page, filters);
    const expected = numbersOf(filters).slice(offset, offset + 10);
    expect({ filters, contacts }).toEqual({ filters, contacts: expected });
  }
});

test('leaves a third of D1’s 100 parameters free with all six filters', async () => {
  const prepare = vi.spyOn(worker.env.DB, 'prepare');
  await search()(
    worker.db,
    registrar.login,
    { limit: 10, offset: 0 },
    {
      ident: '1',
      email: 'a@example.ee',
      name: 'ma',
      status: 'pendingDelete',
      updatedSince: new Date('2026-01-20T00:00:00Z'),
      identCountryCode: 'EE',
    },
  );
  const parameters = prepare.mock.calls.map(([text]) => text.split('?').length - 1);
  prepare.mockRestore();
  expect(Math.max(...parameters)).toBeGreaterThan(20);
  expect(Math.max(...parameters)).toBeLessThanOrEqual(66);
});
