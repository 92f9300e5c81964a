import { expect, it } from 'vitest';
import { jsonArrays } from '../../../../src/base/database/json-rows.ts';
import { updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../../src/contact/operator/erase.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { Faults } from '../../../attack/faults.ts';
import { answerOf, registrantClient, registrarClient } from '../../../support/client.ts';
import {
  addContact,
  addContacts,
  addDomainOf,
  addOwnContact,
  addPerson,
  addRegistrar,
  send,
  unique,
  unverified,
  verification,
} from '../../../support/fixtures.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const path = '/api/v1/registrant/export';

const exportOf = (person: { authorization: string }) => worker.fetch(path, send('GET', person));

/** Whom the service has identified, nobody's export says. */
const { verification_pending: _, ...exported } = unverified;

it('the export is everything that is kept about the person at every registrar', async () => {
  const person = await addPerson(worker.env);
  const [alpha, beta] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const first = await addContact(worker.env, alpha, {
    ident: person.code,
    name: 'Mari Maasikas',
    email: 'mari@example.ee',
    orgName: 'Maasikas OÜ',
    fax: '+372.6123456',
    street: 'Ülikooli 1',
    city: 'Tartu',
    zip: '50090',
    state: 'Tartumaa',
    countryCode: 'EE',
    statuses: ['clientUpdateProhibited'],
    statusNotes: { clientUpdateProhibited: 'kohtuasi' },
    disclosedAttributes: ['email'],
    legacyId: '1234',
    creator: '7-ApiUser: vana',
  });
  const domain = await addDomainOf(worker.env, first);
  const separated = `${person.code.slice(0, 6)}-${person.code.slice(6)}`;
  const second = await addContact(worker.env, beta, { ident: separated });
  await repp.update(beta, second.code, { phone: '+372.5000000' });

  const { body: shown } = await registrantClient(worker).read(person, first.uuid);

  const response = await exportOf(person);

  expect(response.headers.get('Content-Type')).toBe('application/json');
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  expect(await answerOf(response)).toEqual({
    status: 200,
    body: {
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      person: { ident: { code: person.code, type: 'priv', country_code: 'EE' } },
      contacts: [
        {
          ...shown,
          org_name: 'Maasikas OÜ',
          status_notes: { clientUpdateProhibited: 'kohtuasi' },
          legacy_id: 1234,
          creator_str: '7-ApiUser: vana',
          updator_str: null,
          created_at: '2026-01-02T03:04:05.678Z',
          updated_at: '2026-01-02T03:04:05.678Z',
          ...exported,
          registrar: { code: alpha.code, name: alpha.name },
          domains: [{ name: domain.name, role: 'registrant' }],
          history: [],
        },
        expect.objectContaining({
          id: second.uuid,
          ident: { code: separated, type: 'priv', country_code: 'EE' },
          phone: '+372.5000000',
          registrar: { code: beta.code, name: beta.name },
          domains: [],
          history: [
            {
              at: expect.any(String),
              action: 'update',
              by: `${beta.apiUser.id}-ApiUser: ${beta.apiUser.username}`,
              request_id: expect.any(String),
              client_reference: null,
              changes: { phone: { from: '+372.5123456', to: '+372.5000000' } },
            },
          ],
        }),
      ],
      deleted_contacts: [],
      disclosures: [],
    },
  });
});

it('the export has the history of deleted contacts, until their values are removed', async () => {
  const person = await addPerson(worker.env);
  const registrar = await addRegistrar(worker.env);
  const separated = `${person.code.slice(0, 6)}-${person.code.slice(6)}`;
  const contact = await addContact(worker.env, registrar, { ident: separated });
  for (const overrides of [
    { ident: `${person.code}1` },
    { ident: person.code, identType: 'org' as const },
  ]) {
    const other = await addContact(worker.env, registrar, overrides);
    await repp.delete(registrar, other.code);
  }
  await repp.update(registrar, contact.code, { phone: '+372.5000000' });
  await repp.delete(registrar, contact.code);
  const { body } = await answerOf(exportOf(person));
  expect(body).toMatchObject({
    contacts: [],
    deleted_contacts: [
      {
        id: contact.uuid,
        code: contact.code,
        history: [
          { action: 'update', changes: { phone: { to: '+372.5000000' } } },
          { action: 'delete', changes: { ident: { from: separated, to: null } } },
        ],
      },
    ],
  });
  await eraseContact(worker.operation, contact.code);
  expect((await answerOf(exportOf(person))).body.deleted_contacts).toEqual([]);
});

it('the export has nothing of the person as whose contact it was known before a correction', async () => {
  const latvian = { countryCode: 'LV' };
  const person = await addPerson(worker.env, latvian);
  const former = await addPerson(worker.env, latvian);
  const registrar = await addRegistrar(worker.env);
  const values = {
    ...{ ident: former.code, identCountryCode: 'LV' },
    identityVerification: verification({ reference: 'of the former person' }),
    emailVerification: verification({ reference: 'of the former person' }),
    creator: 'RegistrantUser: of the former person',
    statuses: ['serverTransferProhibited' as const],
    statusNotes: { serverTransferProhibited: 'of the former person' },
  };
  const contacts = [
    await addContact(worker.env, registrar, values),
    await addContact(worker.env, registrar, values),
  ];
  for (const { code } of contacts) {
    await repp.update(registrar, code, { phone: '+372.5000000' });
    const correction = { ident: person.code, name: 'Mari Maasikas' };
    await updateAnyContact(worker.operation, code, correction);
    await repp.update(registrar, code, { phone: '+372.5111111' });
    const check = { verification: { claim: 'identity', method: 'eid' } };
    await repp.request(registrar, 'POST', `/${code}/verifications`, check);
  }
  await repp.delete(registrar, contacts[1]!.code);

  const { body } = await answerOf(exportOf(person));

  const hidden = { redacted: true };
  const correction = {
    ...{ ident: hidden, name: hidden },
    ...{ identity_verification: hidden, email_verification: hidden },
  };
  const check = { identity_verification: hidden };
  const update = { phone: { from: '+372.5000000', to: '+372.5111111' } };
  expect(body.contacts).toMatchObject([
    { history: [{ changes: correction }, { changes: update }, { changes: check }] },
  ]);
  expect(body.deleted_contacts).toMatchObject([
    {
      history: [
        { changes: correction },
        { changes: update },
        { changes: check },
        { action: 'delete' },
      ],
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(former.code);
  expect(JSON.stringify(body)).not.toContain('of the former person');
  expect(await answerOf(exportOf(former))).toMatchObject({
    body: { contacts: [], deleted_contacts: [] },
  });
});

it('the export keeps its whole history where only the spelling of the code was corrected', async () => {
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const registrar = await addRegistrar(worker.env);
  const ident = `${person.code.slice(0, 6)}-${person.code.slice(6)}`;
  const contact = await addContact(worker.env, registrar, { ident, identCountryCode: 'LV' });
  await repp.update(registrar, contact.code, { phone: '+372.5000000' });
  await updateAnyContact(worker.operation, contact.code, { ident: person.code });
  const { body } = await answerOf(exportOf(person));
  expect(body.contacts[0].history).toMatchObject([
    { changes: { phone: { to: '+372.5000000' } } },
    { changes: { ident: { redacted: true } } },
  ]);
});

it('the export has nothing of anybody else', async () => {
  const person = await addPerson(worker.env);
  const registrar = await addRegistrar(worker.env);
  await addContact(worker.env, registrar, { ident: person.code, identCountryCode: 'LV' });
  await addContact(worker.env, registrar, { ident: person.code, identType: 'org' });
  await addContact(worker.env, registrar);
  const { body } = await answerOf(exportOf(person));
  expect(body.contacts).toEqual([]);
});

it('the export has each contact, domain and entry once where there are more than fit into a page', async () => {
  const person = await addPerson(worker.env);
  const { registrar, contact: many } = await addOwnContact(worker.env, { ident: person.code });
  const others: { code: string }[] = [];
  for (let n = 0; n < 5; n++) {
    const contact = await addContact(worker.env, registrar, { ident: person.code });
    await addHistory(contact, 99);
    await addDomains(contact, 1);
    others.push(contact);
  }
  await addHistory(many, 450);
  await addDomains(many, 450);
  const { body } = await answerOf(exportOf(person));
  type Exported = { code: string; domains: { name: string }[]; history: { by: string }[] };
  const shape = (body.contacts as Exported[]).map(({ code, domains, history }) => ({
    code,
    domains: new Set(domains.map(({ name }) => name)).size,
    repeatedDomains: domains.length - new Set(domains.map(({ name }) => name)).size,
    history: history.map(({ by }) => by),
  }));
  const expected = ({ code }: { code: string }, entries: number, count: number) => ({
    code,
    domains: count,
    repeatedDomains: 0,
    history: Array.from({ length: entries }, (_, n) => `${code} ${n + 1}`),
  });
  expect(shape).toEqual([
    expected(many, 450, 450),
    ...others.map((contact) => expected(contact, 99, 1)),
  ]);
});

it('the export has each contact once where there are more than fit into a page', async () => {
  const person = await addPerson(worker.env);
  const registrar = await addRegistrar(worker.env);
  await addContacts(worker.env, registrar, 401, { ident: person.code });
  const { body } = await answerOf(exportOf(person));
  const codes = (body.contacts as { code: string }[]).map(({ code }) => code);
  expect(codes).toEqual(Array.from({ length: 401 }, (_, n) => `${registrar.code}:${n + 1}`));
});

it('the export is an error where it fails before it begins, and breaks off where it fails later', async () => {
  const person = await addPerson(worker.env);
  const { contact } = await addOwnContact(worker.env, { ident: person.code });
  await addHistory(contact, 450);
  const failing = (first: number) => {
    const fault = { message: 'D1_ERROR: something else', isDone: false };
    const faults = new Faults(fault, (call, binding) => binding === 'd1' && call >= first);
    return app.request(path, send('GET', person), faults.wrap(worker.env));
  };
  const early = await failing(0);
  expect(early.status).toBe(500);
  expect(await early.json()).toMatchObject({
    errors: { base: [expect.stringContaining('Internal error')] },
  });
  const late = await failing(4);
  expect(late.status).toBe(200);
  await expect(late.text()).rejects.toThrow();
});

/** Entries that the actor numbers. */
async function addHistory({ code, uuid }: { code: string; uuid: string }, count: number) {
  await worker.env.DB.prepare(
    `with recursive n (n) as (select 1 union all select n + 1 from n where n < ?3)
     insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, changes)
     select '2026-01-02T03:04:05.678Z', 'contact', ?1, ?2, 'update', 'operator', ?1 || ' ' || n, '{}' from n`,
  )
    .bind(code, uuid, count)
    .run();
}

async function addDomains(contact: { id: number; registrarId: number }, count: number) {
  const rows = Array.from({ length: count }, () => `many${unique()}.ee`);
  for (const json of jsonArrays(rows)) {
    await worker.env.DB.batch([
      worker.env.DB.prepare(
        `insert into domains (name, punycode, registrar_id, created_at)
         select value, value, ?2, '2026-01-02T03:04:05.678Z' from json_each(?1)`,
      ).bind(json, contact.registrarId),
      worker.env.DB.prepare(
        `insert into domain_contacts (domain_id, contact_id, role)
         select id, ?2, 'tech' from domains where name in (select value from json_each(?1))`,
      ).bind(json, contact.id),
    ]);
  }
}
