import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { contacts } from '../../../../drizzle/schema.ts';
import { expectedSentence } from '../../../../src/base/text/field.ts';
import { contactRules } from '../../../../src/contact/rules.ts';
import { bentBody, validBody } from '../../../attack/bodies.ts';
import { answerOf, completed, refused, registrarClient } from '../../../support/client.ts';
import { addContact, addRegistrar, newContact, send } from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const { create } = registrarClient(worker);

type Caller = { authorization: string };

const validate = (caller: Caller, body: unknown) =>
  worker.fetch('/repp/v1/contacts/validate', send('POST', caller, body));

/** The errors of each contact; empty where it is valid. */
async function errorsOf(caller: Caller, contacts: unknown) {
  const { status, body } = await answerOf(validate(caller, { contacts }));
  expect(status).toBe(200);
  const { results } = body.data as { results: { valid: boolean; errors: object[] }[] };
  for (const { valid, errors } of results) expect(valid).toBe(errors.length === 0);
  return results.map(({ errors }) => errors);
}

const taken = [{ code: 2302, message: 'Contact id already exists [code]', field: 'id' }];

it('finds wrong what a creation refuses, and right what it accepts, with the same words', async () => {
  const valid = validBody('POST', '/repp/v1/contacts')!;
  const json = fc.oneof(
    { weight: 2, arbitrary: valid.map((body) => JSON.stringify(body)) },
    { weight: 3, arbitrary: bentBody(valid) },
  );
  // A body of too many levels is refused as a whole.
  const bodies = json
    .filter((text) => text.length < 4_000 && !/(\[|\{"\w+":){20}/.test(text))
    .map((text) => JSON.parse(text))
    .filter((body) => 'contact' in body);
  const verdicts = { valid: 0, invalid: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(bodies, { minLength: 8, maxLength: 10 }), async (given) => {
      const registrar = await addRegistrar(worker.env);
      const judged = await errorsOf(
        registrar,
        given.map(({ contact }) => contact),
      );
      for (const [index, body] of given.entries()) {
        const { contact } = body;
        const created = await create(registrar, contact);
        expect(judged[index]).toEqual(created.body.errors ?? []);
        verdicts[created.status === 200 ? 'valid' : 'invalid'] += 1;
      }
    }),
    { numRuns: inject('isDeep') ? 60 : 15 },
  );
  expect(verdicts.valid).toBeGreaterThan(20);
  expect(verdicts.invalid).toBeGreaterThan(20);
});

it('a list of contacts is judged one by one, in its order, and stores nothing', async () => {
  const registrar = await addRegistrar(worker.env);
  const before = await worker.db.$count(contacts);
  const answer = await answerOf(
    validate(registrar, { contacts: [newContact({ phone: '555' }), newContact()] }),
  );
  const detail = expectedSentence(contactRules.phone());
  const phone = { code: 2005, message: 'Phone nr is invalid [phone]', field: 'phone', detail };
  expect(answer).toEqual(
    completed({
      results: [
        { valid: false, errors: [phone] },
        { valid: true, errors: [] },
      ],
    }),
  );
  expect(await worker.db.$count(contacts)).toBe(before);
});

it('a list of contacts has an id taken by a contact, or by a valid one before it, however it is spelt', async () => {
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { code: `${registrar.code}:OLD` });
  const given = [
    newContact({ id: 'old' }),
    newContact({ id: 'new', phone: '555' }),
    newContact({ id: 'New' }),
    newContact({ id: `${registrar.code.toLowerCase()}:NEW` }),
    newContact(),
    newContact(),
    newContact({ id: 'x'.repeat(100) }),
  ];
  const detail = expectedSentence(contactRules.code());
  const tooLong = [{ code: 2005, message: 'Contact id is invalid [id]', field: 'id', detail }];
  const [old, invalid, first, second, ...rest] = await errorsOf(registrar, given);
  expect([old, first, second]).toEqual([taken, [], taken]);
  expect(invalid).toHaveLength(1);
  expect(rest).toEqual([[], [], tooLong]);
});

it("a list of contacts does not collide with another registrar's codes", async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  await addContact(worker.env, other, { code: `${other.code}:MINE` });
  const given = [newContact({ id: 'mine' }), newContact({ id: `${other.code}:MINE` })];
  expect(await errorsOf(registrar, given)).toEqual([[], []]);
});

it('the validation of a list says which fields it does not know, once', async () => {
  const registrar = await addRegistrar(worker.env);
  const contact = newContact({ verified: true, addr: { planet: 'Mars' } });
  const response = await validate(registrar, { contacts: [contact, contact], force: true });
  expect(response.headers.get('Ignored-Fields')).toBe(
    'contacts.verified, contacts.addr.planet, force',
  );
});

it('a list of contacts may have a hundred whole contacts', async () => {
  const registrar = await addRegistrar(worker.env);
  const whole = (n: number) =>
    newContact({
      id: `tammsaare-kuusepuu-${n}`,
      name: 'Maria-Elisabeth Tammsaare-Kuusepuu',
      email: `maria-elisabeth.tammsaare-${n}@sideteenused.example`,
      fax: '+372.6001001',
      org_name: 'Põhjamaade Kaubandus- ja Sideteenused OÜ',
      auth_info: '0003239c7f3d1da5a7cbc6',
      addr: {
        ...{ street: 'Telliskivi 60a/3, korter 12', city: 'Tallinn', zip: '10412' },
        ...{ state: 'Harju maakond', country_code: 'EE' },
      },
    });
  const hundred = Array.from({ length: 100 }, (_, n) => whole(n));
  expect(await errorsOf(registrar, hundred)).toEqual(Array(100).fill([]));
});

it.each([
  ['none', [], 2004, 'Parameter value range error [contacts]'],
  [
    'more than a hundred',
    Array.from({ length: 101 }, () => null),
    2004,
    'Parameter value range error [contacts]',
  ],
  ['no list', { contact: newContact() }, 2005, 'Contacts is invalid [contacts]'],
  ['nothing', undefined, 2003, 'Required parameter missing [contacts]'],
])('a list of contacts is refused with %s', async (_, contacts, code, message) => {
  const registrar = await addRegistrar(worker.env);
  const detail = contacts && 'Expected: a list of 1 to 100 contacts.';
  expect(await answerOf(validate(registrar, { contacts }))).toEqual(
    refused(code, message, 'contacts', 400, detail),
  );
});
