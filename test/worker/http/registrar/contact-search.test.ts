import { expect, it, test } from 'vitest';
import { createContact } from '../../../../src/contact/create.ts';
import { deleteContact } from '../../../../src/contact/delete.ts';
import { updateContact } from '../../../../src/contact/update.ts';
import { parameterDetails, refused, registrarClient } from '../../../support/client.ts';
import {
  addContact,
  addDomainOf,
  addRegistrar,
  contactValues,
  newContact,
  unverified,
  verification,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

/** The codes that a search finds, by the suffixes that the test chose, and the total. */
async function found(registrar: Registrar, query: string) {
  const { status, body } = await repp.list(registrar, `?${query}`);
  expect(status).toBe(200);
  const { contacts, total_number_of_records: total } = body;
  return { contacts: contacts.map((code: string) => code.replace(/^.*:/, '')), total };
}

async function registrarWith(contacts: Record<string, Parameters<typeof addContact>[2]>) {
  const registrar = await addRegistrar(worker.env);
  for (const [id, fields] of Object.entries(contacts)) {
    await addContact(worker.env, registrar, { ...fields, code: `${registrar.code}:${id}` });
  }
  return registrar;
}

it('the list of a registrar can be searched by an identity code, of which letters and digits are compared', async () => {
  const registrar = await registrarWith({
    A: { ident: '131052-308T' },
    B: { ident: '131052308t', identType: 'org', identCountryCode: 'FI' },
    C: { ident: '131052308' },
  });
  expect(await found(registrar, 'ident=131052%20308t')).toEqual({
    contacts: ['A', 'B'],
    total: 2,
  });
  expect(await found(registrar, 'ident=131052308T&ident_country_code=fi')).toEqual({
    contacts: ['B'],
    total: 1,
  });
});

it('the list of a registrar can be searched by a name with ß in either case, or written as ss', async () => {
  const names = ['Großsteiner', 'GROẞSTEINER', 'Grosssteiner', 'GROSSSTEINER'];
  const registrar = await registrarWith(
    Object.fromEntries(names.map((name, index) => [String(index), { name }])),
  );
  for (const name of names) {
    const query = `name=${encodeURIComponent(name.slice(0, 6))}`;
    expect(await found(registrar, query)).toMatchObject({ total: names.length });
  }
});

it('the list of a registrar can be searched by an email address without regard to case', async () => {
  const registrar = await registrarWith({
    A: { email: 'Õie@Example.ee' },
    B: { email: 'õie@example.ee' },
    C: { email: 'oie@example.ee' },
  });
  expect(await found(registrar, 'email=%C3%95IE@example.ee')).toEqual({
    contacts: ['A', 'B'],
    total: 2,
  });
});

it('the list of a registrar can be searched by the beginning of a name without regard to case, in any script', async () => {
  const registrar = await registrarWith({
    A: { name: 'Õunaaed OÜ' },
    B: { name: 'ÕUNAPUU' },
    C: { name: 'Suur õun' },
    D: { name: 'Oun' },
    E: { name: 'ΟΔΟΣΣΕΑΣ' },
    F: { name: '100% Puhas_Töö' },
    G: { name: '100x' },
  });
  // Decomposed, as some systems write it.
  expect(await found(registrar, 'name=o%CC%83una')).toEqual({ contacts: ['A', 'B'], total: 2 });
  expect(await found(registrar, `name=${encodeURIComponent('οδος')}`)).toMatchObject({
    contacts: ['E'],
  });
  expect(await found(registrar, 'name=100%25')).toMatchObject({ contacts: ['F'] });
});

it.each([
  ['EE 47101010033', ['A']],
  ['ee47101010033', ['A']],
  ['PNOEE-47101010033', ['A']],
  [' 47101010033\u200b', ['A', 'B']],
  ['FI 1980-01-01', ['C']],
  ['LV 47101010033', ['B']],
  ['AB123456', ['D']],
  ['EEAB123456', ['E']],
  ['FI 47101010033', []],
])(
  'the list of a registrar can be searched by an identity typed as %s',
  async (typed, contacts) => {
    const registrar = await registrarWith({
      A: { ident: '47101010033' },
      B: { ident: '47101010033', identCountryCode: 'LV' },
      C: { ident: '1980-01-01', identType: 'birthday', identCountryCode: 'FI' },
      D: { ident: 'AB123456', identCountryCode: 'LV' },
      E: { ident: 'EEAB123456', identCountryCode: 'LV' },
    });
    const query = encodeURIComponent(typed);
    expect(await found(registrar, `ident=${query}`)).toEqual({ contacts, total: contacts.length });
    // As a filter beside the one that leads.
    const beside = `email=mari@example.ee&ident=${query}`;
    expect(await found(registrar, beside)).toMatchObject({ total: 0 });
  },
);

it.each([
  ' mari@õun.ee ',
  'mailto:mari@%C3%B5un.ee?subject=x',
  'Mari Maasikas <Mari@õun.ee>',
  '\u202amari@õun.ee\u202c',
  '<mailto:mari@xn--un-bka.ee>',
])('the list of a registrar can be searched by an address pasted as %s', async (pasted) => {
  const registrar = await registrarWith({ A: { email: 'mari@õun.ee' }, B: {} });
  const query = `email=${encodeURIComponent(pasted)}`;
  expect(await found(registrar, query)).toEqual({ contacts: ['A'], total: 1 });
});

it('the list of a registrar can be searched by a name, whatever is not seen in it, in other forms of its letters', async () => {
  const names = [
    'Mari\u200e Ma\u00adasikas',
    'Mari  Maasikas',
    'Ｍａｒｉ Ｍａａｓｉｋａｓ',
    'mari maasikas 2',
  ];
  const registrar = await registrarWith({
    ...Object.fromEntries(names.map((name, index) => [String(index), { name }])),
    KANA: { name: 'ﾔﾏﾀﾞ' },
    ASH: { name: 'Æthelþryð Œuvre' },
    ONE: { name: '王小明' },
    TICK: { name: 'O`Brien' },
  });
  for (const asked of ['mari maas', 'Mari  Maasikas', ' ＭＡＲＩ\u00a0ma\u200basikas']) {
    const all = await found(registrar, `name=${encodeURIComponent(asked)}`);
    expect({ asked, ...all, contacts: all.contacts.toSorted() }).toEqual({
      ...{ asked, contacts: ['0', '1', '2', '3'], total: 4 },
    });
  }
  for (const [asked, contacts] of [
    ['ヤマダ', ['KANA']],
    ['aethelthryd oe', ['ASH']],
    ['王', ['ONE']],
    ['æ', ['ASH']],
    ["o'brien", []],
    ['o`b', ['TICK']],
  ] as const) {
    const all = await found(registrar, `name=${encodeURIComponent(asked)}`);
    expect({ asked, ...all }).toEqual({ asked, contacts, total: contacts.length });
  }
});

it('a search by name has each contact once, in the order of names, page by page, with repeated blanks too', async () => {
  const names = ['A  B', 'A  C', 'A B  D', 'A B C', 'A B', 'Ä B', 'A  B', 'AB', 'A BC'];
  const registrar = await registrarWith(
    Object.fromEntries(names.map((name, index) => [String(index), { name }])),
  );
  const pages: string[][] = [];
  let query: string | undefined = '?name=a%20b&limit=1';
  while (query) {
    const response = await repp.request(registrar, 'GET', query);
    const { contacts } = (await response.json()) as { contacts: string[] };
    pages.push(contacts.map((code) => code.split(':')[1]!));
    const [, link] = /^<(.+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
    query = link && new URL(link).search;
  }
  expect(pages.flat()).toEqual(['0', '6', '4', '5', '2', '3', '8']);
});

it('the list of a registrar can be searched by a status that is shown', async () => {
  const registrar = await registrarWith({
    A: {},
    B: { statuses: ['clientUpdateProhibited', 'pendingDelete'] },
  });
  const linked = await addContact(worker.env, registrar, { code: `${registrar.code}:C` });
  await addDomainOf(worker.env, linked);
  expect(await found(registrar, 'status=ok')).toEqual({ contacts: ['A', 'C'], total: 2 });
  expect(await found(registrar, 'status=linked')).toEqual({ contacts: ['C'], total: 1 });
  expect(await found(registrar, 'status=pendingDelete')).toEqual({ contacts: ['B'], total: 1 });
  expect(await found(registrar, 'status=pendingCreate')).toEqual({ contacts: [], total: 0 });
});

it('the list of a registrar can be searched by the time of the last change, in the order of the changes', async () => {
  const day = (day: number) => ({ updatedAt: `2026-03-0${day}T10:00:00.000Z` });
  const registrar = await registrarWith({ A: day(5), B: day(3), C: day(4), D: day(3) });
  for (const since of [
    '2026-03-03T10:00:00.000Z',
    '2026-03-03T10:00:00',
    '2026-03-03T12:00:00%2B02:00',
    '2026-03-03',
  ]) {
    expect(await found(registrar, `updated_since=${since}`)).toEqual({
      contacts: ['B', 'D', 'C', 'A'],
      total: 4,
    });
  }
  expect(await found(registrar, 'updated_since=2026-03-04T10:00:00.001Z')).toEqual({
    contacts: ['A'],
    total: 1,
  });
});

it('the list of a registrar can be searched by values that a former registry accepted and this one would not', async () => {
  const registrar = await registrarWith({
    A: { email: 'mari(at)example', identCountryCode: 'Eesti', ident: '1'.repeat(200) },
    B: {},
  });
  const queries = ['email=MARI(at)example', 'ident_country_code=Eesti'];
  for (const query of [...queries, `ident=${'1'.repeat(200)}`]) {
    expect(await found(registrar, query)).toEqual({ contacts: ['A'], total: 1 });
  }
});

it('lists the contacts with an open demand by its last day and then in order, with the demand in the details', async () => {
  const [january, march] = ['2027-01-31', '2027-03-31'];
  const demand = (by: string) => ({ verificationDemand: { claims: ['email' as const], by } });
  const registrar = await registrarWith({
    A: demand(march),
    B: {},
    C: demand(january),
    D: { ...demand(january), emailVerification: verification() },
    E: { ...demand(january), emailVerification: verification({ result: 'failed' }) },
    F: { ...demand(january), emailVerification: verification({ result: 'ended' }) },
    G: { ...demand(january), identityVerification: verification() },
  });
  await addContact(worker.env, await addRegistrar(worker.env), demand(january));
  expect(await found(registrar, 'demand=open')).toEqual({
    contacts: [...'CEFGA'],
    total: 5,
  });
  expect(await followed(registrar, 'demand=open')).toBe('CEFGA');
  expect(await followed(registrar, 'demand=open&updated_since=2026-01-01')).toBe('CEFGA');
  const { body } = await repp.list(registrar, '?demand=open&details=true&limit=1');
  const [contact] = body.contacts;
  expect(Object.entries(contact).at(-1)).toEqual(['demand', { claims: ['email'], by: january }]);
  const listed = (await repp.list(registrar, '?details=true')).body.contacts;
  expect(listed[2]).toEqual({ ...contact, demand: undefined });
  expect(listed[2]).not.toHaveProperty('demand');
});

it('the list of a registrar can be searched with details, and what an update changes is found from then on', async () => {
  const registrar = await addRegistrar(worker.env);
  await repp.create(registrar, newContact({ id: 'A', name: 'Mari Maasikas' }));
  const code = `${registrar.code}:A`;
  await repp.update(registrar, code, { name: 'Õie Õun', email: 'oie@example.ee' });
  expect(await found(registrar, 'name=mari')).toEqual({ contacts: [], total: 0 });
  const query = '?name=%C3%B5ie&email=OIE@example.ee&details=true';
  const { body } = await repp.list(registrar, query);
  expect(body).toMatchObject({ total_number_of_records: 1, contacts: [{ code }] });
  expect(await repp.read(registrar, code)).toEqual({ ...body.contacts[0], ...unverified });
});

test('links a page of a search to the next one, with all its filters', async () => {
  const registrar = await registrarWith({ A: {}, B: {}, C: {}, D: {} });
  for (const filter of ['name=contact&status=ok', 'updated_since=2026-01-01&name=contact']) {
    expect(await followed(registrar, filter)).toBe('ABCD');
  }
});

test('a search whose matches fill one page has their number and no link', async () => {
  const registrar = await registrarWith({ A: {}, B: {} });
  for (const filter of ['name=contact', 'status=ok', 'updated_since=2026-01-01']) {
    const response = await repp.request(registrar, 'GET', `?limit=2&${filter}`);
    expect(await response.json()).toMatchObject({ total_number_of_records: 2 });
    expect(response.headers.get('Link')).toBeNull();
  }
});

test('links a page to the next one after any name that moved in', async () => {
  const name = (between: string) => ({ name: `Mari${between}Mets` });
  const names = ['\n', '\u0085', '\u{1f600}', '\u{10fffd}'].map(name);
  const registrar = await registrarWith({ A: names[0], B: names[1], C: names[2], D: names[3] });
  expect(await followed(registrar, 'name=mari')).toBe('ABCD');
});

/** The last letters of the codes that a search finds, two on a page. */
async function followed(registrar: Registrar, filter: string): Promise<string> {
  const seen: string[] = [];
  for (let query = `?limit=2&${filter}`; query !== ''; ) {
    const response = await repp.request(registrar, 'GET', query);
    seen.push(...((await response.json()) as { contacts: string[] }).contacts);
    const [, link] = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
    query = link ? new URL(link).search : '';
  }
  return seen.map((code) => code.slice(-1)).join('');
}

it.each([
  ['Sean O’Brien', "sean o'b"],
  ["Sean O'Brien", 'Sean O\u2032Brien'],
  ['OÜ „Kuusk“', 'OU "kuusk'],
  ['Anne\u2010Mai', 'anne-mai'],
  ['Mari\u00a0Mets', 'mari mets'],
  ['Õunaaed', 'oun'],
  ['Ounaaed', 'õun'],
  ['Łódź', 'lodz'],
])('the list of a registrar shows %j to a search for %j', async (name, text) => {
  const registrar = await registrarWith({ A: { name } });
  const query = `name=${encodeURIComponent(text)}`;
  expect(await found(registrar, query)).toEqual({ contacts: ['A'], total: 1 });
});

it('the list of a registrar can be searched by a mailbox in any spelling, and tells ß from ss', async () => {
  const registrar = await registrarWith({
    A: { email: 'x@straße.ee' },
    B: { email: 'x@strasse.ee' },
    C: { email: 'y@xn--mda.ä.ö.ü.š.ee' },
  });
  const codesOf = async (email: string) =>
    (await found(registrar, `email=${encodeURIComponent(email)}`)).contacts;
  expect(await codesOf('X@Strasse.ee')).toEqual(['B']);
  expect(await codesOf('x@STRAẞE.ee')).toEqual(['A']);
  expect(await codesOf('x@xn--strae-oqa.ee')).toEqual(['A']);
  expect(await codesOf('y@xn--mda.ä.ö.ü.š.ee')).toEqual(['C']);
  expect(await codesOf('Y@õ.ä.ö.ü.š.ee')).toEqual(['C']);
});

it('the list of a registrar is in the order of names in a search by name', async () => {
  const names = { A: { name: 'Mari B' }, B: { name: 'Mari Ä' }, C: { name: 'mari a' } };
  const registrar = await registrarWith(names);
  expect((await found(registrar, 'name=mari')).contacts).toEqual(['B', 'C', 'A']);
  expect((await found(registrar, 'name=mari&updated_since=2026-01-01')).contacts.length).toBe(3);
});

test('refuses an offset in a search, and says what to do instead', async () => {
  const registrar = await registrarWith({ A: {}, B: {} });
  expect(await found(registrar, 'name=contact&offset=0')).toMatchObject({ total: 2 });
  expect(await repp.list(registrar, '?name=contact&offset=1')).toEqual(
    refused(
      2004,
      'Parameter value range error [offset]',
      'offset',
      400,
      'A search has no offset: follow the links from the first page.',
    ),
  );
});

test.each([
  ['ident=', 'Ident code is invalid [ident]', 'ident'],
  [`ident=${'1'.repeat(256)}`, 'Ident code is invalid [ident]', 'ident'],
  [
    'ident_country_code=',
    'Ident country code is invalid [ident_country_code]',
    'ident_country_code',
  ],
  [
    'email=%00',
    'Email is invalid [email]',
    'email',
    'It contains an invisible character (U+0000).',
  ],
  [
    'email=a+b@example.ee',
    'Email is invalid [email]',
    'email',
    'A + in a URL means a blank: write it as %2B.',
  ],
  ['name=%CC%81%CC%81', 'Name is invalid [name]', 'name'],
  ['name=%E2%80%8B', 'Name is invalid [name]', 'name'],
  ['name=ma%00', 'Name is invalid [name]', 'name', 'It contains an invisible character (U+0000).'],
  ['status=OK', 'Status is invalid [status]', 'status'],
  [
    'status=ok%E2%80%8B',
    'Status is invalid [status]',
    'status',
    'It contains an invisible character (U+200B).',
  ],
  [
    'updated_since=2026-02-03%E2%80%AC',
    'Updated since is invalid [updated_since]',
    'updated_since',
    'It contains an invisible character (U+202C).',
  ],
  ['updated_since=2026-02-30', 'Updated since is invalid [updated_since]', 'updated_since'],
  [
    'updated_since=2026-01-31T14:00:00+02:00',
    'Updated since is invalid [updated_since]',
    'updated_since',
  ],
  ['demand=met', 'Demand is invalid [demand]', 'demand'],
])('refuses a search for ?%s', async (query, message, field, detail = parameterDetails[field]) => {
  const registrar = await addRegistrar(worker.env);
  expect(await repp.list(registrar, `?${query}`)).toEqual(
    refused(2005, message, field, 400, detail),
  );
});

test('refuses an after from a list in another order', async () => {
  const registrar = await registrarWith({ A: {}, B: {} });
  const afterOf = async (query: string) => {
    const { headers } = await repp.request(registrar, 'GET', `?limit=1${query}`);
    return new URL(/<(.*)>/.exec(headers.get('Link')!)![1]!).searchParams.get('after');
  };
  const since = '&updated_since=2026-01-01';
  for (const [from, to] of [
    ['', since],
    [since, ''],
    [since, '&name=contact'],
    ['&name=contact', since],
    ['&name=contact', ''],
    ['', '&name=contact'],
    ['&name=contact', '&name=mari'],
  ] as const) {
    expect(await repp.list(registrar, `?after=${await afterOf(from)}${to}`)).toMatchObject({
      status: 400,
      body: { code: 2005, message: 'After is invalid [after]' },
    });
  }
});

/** Whether there was something to change. */
const changed = (update: Promise<unknown>) =>
  update.then(
    () => true,
    () => false,
  );

test('a registrar that follows the changes misses none, whichever request is written first', async () => {
  const registrar = await addRegistrar(worker.env);
  const clients = 5;
  let writing = clients;
  /** Creates, changes and deletes contacts, each client its own, by requests that came up to a second ago. */
  const write = async (client: number) => {
    for (let round = 0; round < 10; round++) {
      const at = new Date(Date.now() - ((client * 3 + round * 7) % 10) * 100);
      const request = { at, requestId: crypto.randomUUID() };
      const id = `${client}-${round % 4}`;
      const code = `${registrar.code}:${id}`;
      const name = `Round ${round}`;
      const { db } = worker;
      const isThere = await changed(
        updateContact({ db, login: registrar.login, request }, code, () => ({ name })),
      );
      if (!isThere)
        await createContact(
          { db, login: registrar.login, request },
          { ...contactValues, code: id, name },
        );
      else if (round % 5 === client % 5)
        await deleteContact({ db, login: registrar.login, request }, code);
    }
    writing -= 1;
  };
  const copy = new Map<string, string>();
  /** Follows from the beginning, and keeps the last link that it saw something by. */
  const follow = async () => {
    let query = '?updated_since=2026-01-01&limit=3&details=true';
    for (let isOver = false; ; ) {
      const wasWriting = writing > 0;
      const response = await repp.request(registrar, 'GET', query);
      const { contacts } = (await response.json()) as {
        contacts: { code: string; name: string }[];
      };
      for (const { code, name } of contacts) copy.set(code, name);
      const [, link] = /<(.*)>/.exec(response.headers.get('Link') ?? '') ?? [];
      if (link) query = new URL(link).search;
      else if (isOver) return;
      else isOver = !wasWriting;
    }
  };
  await Promise.all([follow(), ...Array.from({ length: clients }, (_, client) => write(client))]);
  const { body } = await repp.list(registrar, '?details=true');
  expect(body.contacts.length).toBeGreaterThan(10);
  for (const { code, name } of body.contacts) {
    expect({ code, name: copy.get(code) }).toEqual({ code, name });
  }
});
