import { expect, it } from 'vitest';
import {
  answerOf,
  parameterDetails,
  refused,
  registrantClient,
  registrarClient,
} from '../../../support/client.ts';
import {
  addContact,
  addPerson,
  addRegistrar,
  addRegistrarWith,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const asRegistrar = registrarClient(worker);
const asPerson = registrantClient(worker);

interface Caller {
  authorization: string;
}

/** The page at a path or link, and the link to the one after it. */
async function pageAt(caller: Caller, path: string) {
  const { pathname, search } = new URL(path, worker.url);
  const response = await worker.fetch(pathname + search, {
    headers: { Authorization: caller.authorization },
  });
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '') ?? [];
  const { status, body } = await answerOf(response);
  return { status, body, next };
}

/** Every element of a listing, page by page, with something done between the pages. */
async function everyElement(
  caller: Caller,
  path: string,
  elementsOf: (body: { contacts: unknown[]; data: { history: unknown[] } }) => unknown[],
  meanwhile: (seen: unknown[]) => Promise<void> = async () => {},
) {
  const seen: unknown[] = [];
  for (let next: string | undefined = path; next; ) {
    const page = await pageAt(caller, next);
    expect(page.status).toBe(200);
    seen.push(...elementsOf(page.body));
    await meanwhile(seen);
    next = page.next;
  }
  return seen;
}

/** An `after` that the caller received for the list at this path. */
async function givenAfter(caller: Caller, path: string): Promise<string> {
  const { next } = await pageAt(caller, path);
  return new URL(next as string).searchParams.get('after') as string;
}

const list = '/repp/v1/contacts';
const ofPerson = '/api/v1/registrant/contacts';

it('the list of a registrar links every full page to the next one, with the parameters of the request', async () => {
  const registrar = await addRegistrarWith(worker.env, 3);
  const page = await pageAt(registrar, `${list}?details=true&limit=2&color=red&offset=1`);
  const link = new URL(page.next as string);
  expect(link.origin).toBe(worker.url.origin);
  expect(link.pathname).toBe(list);
  expect([...link.searchParams.keys()]).toEqual(['details', 'limit', 'after']);
  const following = await pageAt(registrar, page.next as string);
  expect(following.body).toEqual({ contacts: [], total_number_of_records: 3 });
});

it('the list of a registrar adds no link to a page that is not full', async () => {
  const registrar = await addRegistrarWith(worker.env, 1);
  for (const query of ['', '?limit=2', '?details=true', '?limit=1&offset=1']) {
    expect((await pageAt(registrar, list + query)).next).toBeUndefined();
  }
});

it.each(['', '&details=true'])(
  'the list of a registrar leads to every contact, in order (%s)',
  async (details) => {
    const registrar = await addRegistrarWith(worker.env, 7);
    const codes = await everyElement(registrar, `${list}?limit=3${details}`, ({ contacts }) =>
      contacts.map((each) => (details ? (each as { code: string }).code : each)),
    );
    expect(codes).toEqual(registrar.codes);
  },
);

it('the list of a registrar shows each contact that stays exactly once, whatever comes and goes meanwhile', async () => {
  const registrar = await addRegistrarWith(worker.env, 30);
  const gone = new Set<unknown>();
  const remove = async (code: string | undefined) => {
    if (code === undefined) return;
    gone.add(code);
    expect(await asRegistrar.delete(registrar, code)).toMatchObject({ status: 200 });
  };
  const seen = await everyElement(
    registrar,
    `${list}?limit=4`,
    ({ contacts }) => contacts,
    async (soFar) => {
      const left = registrar.codes.filter((code) => !gone.has(code));
      // The last one seen, the first one ever, and one that is still to come.
      await remove(soFar.at(-1) as string);
      await remove(left.find((code) => !gone.has(code)));
      await remove(left.findLast((code) => !gone.has(code) && !soFar.includes(code)));
      await addContact(worker.env, registrar);
    },
  );
  const stayed = registrar.codes.filter((code) => !gone.has(code));
  expect(seen.filter((code) => stayed.includes(code as string))).toEqual(stayed);
  expect(new Set(seen).size).toBe(seen.length);
  expect(gone.size).toBeGreaterThan(10);
});

it.each([
  ['', 'an empty one'],
  ['%25', 'a percent sign'],
  [base64Url('5'), 'a number in base64'],
  [base64Url('1'.repeat(18)), 'a place past all places'],
  [base64Url('00000000000001x'), 'a place that is not a number'],
])('the list of a registrar refuses after=%s, %s', async (after) => {
  const registrar = await addRegistrarWith(worker.env, 1);
  expect(await asRegistrar.list(registrar, `?after=${after}`)).toEqual(
    refused(2005, 'After is invalid [after]', 'after', 400, parameterDetails.after),
  );
});

it('the list of a registrar shows only its own contacts after a place that another caller was given', async () => {
  const [registrar, other] = [
    await addRegistrarWith(worker.env, 2),
    await addRegistrarWith(worker.env, 2),
  ];
  const person = await addPerson(worker.env);
  await addContact(worker.env, other, { ident: person.code });
  const { code } = await addContact(worker.env, other);
  for (const phone of ['+1.1', '+1.2']) await asRegistrar.update(other, code, { phone });
  const strange = [
    await givenAfter(other, `${list}?limit=1`),
    await givenAfter(person, `${ofPerson}?limit=1`),
    await givenAfter(other, `${list}/${code}/history?limit=1`),
    base64Url('000000000000001'),
  ];
  for (const after of strange) {
    const { status, body } = await asRegistrar.list(registrar, `?after=${after}`);
    expect(status).toBe(200);
    for (const each of body.contacts) expect(registrar.codes).toContain(each);
  }
});

it('the list of a person leads to every contact by its links, in order, whatever is deleted meanwhile', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env, { code: `P${unique()}`, countryCode: 'LV' });
  const identity = { ident: person.code, identCountryCode: 'LV' };
  const contacts = [];
  for (let n = 0; n < 5; n++) contacts.push(await addContact(worker.env, registrar, identity));
  const codes = contacts.map(({ code }) => code);

  const seen = await everyElement(
    person,
    `${ofPerson}?limit=2`,
    (body) => (body.contacts as { code: string }[]).map(({ code }) => code),
    async (soFar) => {
      await asRegistrar.delete(registrar, soFar.at(-1) as string);
    },
  );

  expect(seen).toEqual(codes);
});

it('the list of a person shows only their own contacts after a place that another person was given', async () => {
  const registrar = await addRegistrar(worker.env);
  const [person, other] = [await addPerson(worker.env), await addPerson(worker.env)];
  await addContact(worker.env, registrar, { ident: other.code });
  const { code } = await addContact(worker.env, registrar, { ident: person.code });
  await addContact(worker.env, registrar, { ident: other.code });
  const others = await givenAfter(other, `${ofPerson}?limit=1`);
  const { status, body } = await asPerson.list(person, `?after=${others}`);
  expect(status).toBe(200);
  expect(body.contacts).toMatchObject([{ code }]);
});

it('a history leads to every entry by its links, newest first, whatever is added meanwhile', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, { ident: person.code });
  const phones = ['+1.1', '+1.2', '+1.3', '+1.4', '+1.5'];
  for (const phone of phones) await asRegistrar.update(registrar, code, { phone });
  const addEntry = async () => {
    await asRegistrar.update(registrar, code, { phone: `+9.${unique()}` });
  };
  const phonesOf = (entries: unknown[]) =>
    (entries as { changes: { phone: { to: string } } }[]).map(({ changes }) => changes.phone.to);

  const toRegistrar = await everyElement(
    registrar,
    `${list}/${code}/history?limit=2`,
    ({ data }) => phonesOf(data.history),
    addEntry,
  );
  expect(toRegistrar).toEqual(phones.toReversed());

  const toPerson = await everyElement(
    person,
    `${ofPerson}/${uuid}/history?limit=2&offset=3`,
    (body) => phonesOf((body as unknown as { history: unknown[] }).history),
    addEntry,
  );
  expect(toPerson).toEqual(phones.toReversed());
});

it('an offset beyond 10,000 is refused where each row before it is read, with the way to go on', async () => {
  const registrar = await addRegistrarWith(worker.env, 1);
  const person = await addPerson(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, { ident: person.code });
  const asked = [
    [registrar, `${list}/${code}/history`],
    [registrar, '/repp/v1/registrar/notifications/all_notifications'],
    [person, `${ofPerson}/${uuid}/history`],
  ] as const;
  for (const [caller, path] of asked) {
    const statusAt = async (offset: number) =>
      (await worker.fetch(`${path}?offset=${offset}`, send('GET', caller))).status;
    expect([await statusAt(10_000), await statusAt(10_001)]).toEqual([200, 400]);
  }
  const { body } = await answerOf(
    worker.fetch(`${asked[0][1]}?offset=10001`, send('GET', registrar)),
  );
  expect(body.errors).toEqual([
    {
      code: 2004,
      message: 'Parameter value range error [offset]',
      field: 'offset',
      detail:
        'Expected: a whole number from 0 to 10000; beyond it, follow the links from the first page.',
    },
  ]);
});

function base64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
