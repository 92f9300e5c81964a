import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Claim, contacts } from '../../drizzle/schema.ts';
import { jsonArrays } from '../../src/base/database/json-rows.ts';
import { keysOf } from '../../src/contact/contact.ts';
import { type ContactFilters, searchOrder, searchReader } from '../../src/contact/search.ts';
import { addRegistrar, verification } from '../support/fixtures.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();

type Sought = Pick<
  typeof contacts.$inferSelect,
  | 'name'
  | 'email'
  | 'ident'
  | 'identCountryCode'
  | 'statuses'
  | 'domainCount'
  | 'updatedAt'
  | 'verificationDemand'
  | 'emailVerification'
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
    verification_demand: 'verificationDemand',
    email_verification: 'emailVerification',
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

const names = [
  ...['Mari Maasikas', 'mari mets', 'Märt Õun', 'ÕUNAAED OÜ', 'õunapuu', 'Jaan', 'Ma'],
  ...['Máris O’Brien', "MARIS O'Brien", 'Oun'],
];
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
  verificationDemand: fc.option(
    fc.record({
      claims: fc.constantFrom<Claim[]>(['email'], ['identity', 'email']),
      by: fc.constantFrom('2027-01-30', '2027-01-31', '2027-02-01'),
    }),
  ),
  emailVerification: fc.constantFrom(
    null,
    verification(),
    verification({ result: 'failed' }),
    verification({ result: 'ended' }),
  ),
});

/** The same in every run. */
const sample = <Value>(values: fc.Arbitrary<Value>, numRuns: number, seed: number) =>
  fc.sample(values, { numRuns, seed, unbiased: true });

const all = sample(anyContact, 150, 1);

const plain = (text: string) =>
  text.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'");

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
    (name === undefined || plain(contact.name).startsWith(plain(name))) &&
    (status === undefined || shown.includes(status)) &&
    (updatedSince === undefined || contact.updatedAt >= updatedSince.toISOString()) &&
    (identCountryCode === undefined || contact.identCountryCode === identCountryCode) &&
    (!filters.isDemanded || asksForMore(contact))
  );
}

/** Nobody's identity is verified. */
function asksForMore({ verificationDemand: demand, emailVerification: email }: Sought): boolean {
  return demand !== null && (demand.claims.includes('identity') || email?.result !== 'success');
}

/** Every combination of some values of the filters, at least one of which is given. */
const combinations = Object.entries({
  ident: ['131052308T', '4'],
  email: ['a@EXAMPLE.ee', 'Õun@example.ee', 'info@õun.EE', 'Info@xn--UN-bka.ee'],
  name: ['ma', 'õUN', "maris o'"],
  status: ['ok', 'linked', 'pendingDelete'],
  updatedSince: [new Date('2026-01-20T00:00:00Z')],
  identCountryCode: ['EE', 'LV'],
  isDemanded: [true],
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

/** The numbers of those that match, in the order of the first filter's index. */
function numbersOf(filters: ContactFilters): number[] {
  const numbers = all.map((_, index) => index + 1);
  const found = numbers.filter((number) => matches(all[number - 1]!, filters));
  const order = searchOrder(filters);
  const keyOf = (number: number) => {
    const { updatedAt, name, verificationDemand: demand } = all[number - 1]!;
    return { number: '', time: updatedAt, name: plain(name), day: demand?.by ?? '' }[order];
  };
  return found.sort((one, other) =>
    keyOf(one) === keyOf(other) ? one - other : keyOf(one) < keyOf(other) ? -1 : 1,
  );
}

const search = (walk?: number) => searchReader(['number'], ({ number }) => number, walk);

type Search = ReturnType<typeof search>;

/** All pages, by the places where each next one begins. */
async function everyPage(find: Search, filters: ContactFilters, limit: number) {
  const pages: { contacts: unknown[]; total: number | null }[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const after =
      next === ''
        ? {}
        : { after: Number(next.slice(-15)), afterKey: next.slice(0, -15) || undefined };
    const page = await find(worker.db, registrar.login, { limit, offset: 0, ...after }, filters);
    pages.push(page);
    next = page.next;
  }
  return pages;
}

describe.each([
  ['a walk through all candidates', 1, undefined],
  ['short walks', 2, 40],
  ['walks as long as a page', 3, 12],
])('with %s', (_, seed, walk) => {
  let searched: { filters: ContactFilters; pages: Awaited<ReturnType<typeof everyPage>> }[];
  beforeAll(async () => {
    const find = search(walk);
    const some = someOf(30, seed);
    const pages = await Promise.all(some.map((filters) => everyPage(find, filters, 12)));
    searched = some.map((filters, index) => ({ filters, pages: pages[index]! }));
  });

  test('finds exactly the matches in the order of the first filter, whatever the combination', () => {
    for (const { filters, pages } of searched) {
      const found = pages.flatMap(({ contacts }) => contacts);
      expect({ filters, found }).toEqual({ filters, found: numbersOf(filters) });
    }
  });

  test('gives the number of matches if they are all on one page, and otherwise null', () => {
    for (const { filters, pages } of searched) {
      const totals = pages.map(({ total }) => total);
      const expected = pages.length > 1 ? pages.map(() => null) : [numbersOf(filters).length];
      expect({ filters, totals }).toEqual({ filters, totals: expected });
    }
  });

  test.runIf(walk === undefined)('links a page to the next one only if it is full', () => {
    for (const { pages } of searched) {
      const shorts = pages.filter(({ contacts }) => contacts.length < 12);
      expect(shorts.length).toBeLessThanOrEqual(1);
    }
  });
});

test('leaves a third of D1’s 100 parameters free with all filters', async () => {
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
      isUnverified: true,
      isDemanded: true,
      updatedSince: new Date('2026-01-20T00:00:00Z'),
      identCountryCode: 'EE',
    },
  );
  const parameters = prepare.mock.calls.map(([text]) => text.split('?').length - 1);
  prepare.mockRestore();
  expect(Math.max(...parameters)).toBeGreaterThan(15);
  expect(Math.max(...parameters)).toBeLessThanOrEqual(66);
});

test('refuses a place outside the search', async () => {
  const find = search();
  const since = new Date('2026-01-20T00:00:00Z');
  for (const [afterKey, filters] of [
    ['=MARI', { name: 'mä' }],
    ['=JAAN', { name: 'ma' }],
    ['2026-01-20T00:00:00.000Z', { updatedSince: since }],
    ['2026-01-19T23:59:59.999Z', { updatedSince: since }],
  ] as const) {
    const page = { limit: 10, offset: 0, after: 5, afterKey };
    const answer = find(worker.db, registrar.login, page, filters);
    if (afterKey === '=MARI' || afterKey.startsWith('2026-01-20')) await answer;
    else await expect(answer).rejects.toMatchObject({ problems: [{ reason: 'invalid' }] });
  }
});
