import { expect, test } from 'vitest';
import type { Claim } from '../../../../drizzle/schema.ts';
import { pause } from '../../../../src/base/database/retry.ts';
import { updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import { transferContact } from '../../../../src/contact/operator/transfer.ts';
import { demandVerification } from '../../../../src/contact/verification/operator/demand.ts';
import { recordVerification } from '../../../../src/contact/verification/verification.ts';
import { demandAfter } from '../../../../src/contact/verifications.ts';
import {
  answerOf,
  completed,
  parameterDetails,
  refused,
  registrantClient,
  registrarClient,
} from '../../../support/client.ts';
import {
  addContact,
  addOwnContact,
  addPerson,
  addRegistrar,
  send,
  unverified,
  verification,
} from '../../../support/fixtures.ts';
import { beforeBatch } from '../../../support/meanwhile.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);

type Registrar = Awaited<ReturnType<typeof addRegistrar>>;

function record(
  registrar: Registrar,
  code: string,
  given: object,
  headers?: Record<string, string>,
) {
  return answerOf(
    repp.request(registrar, 'POST', `/${code}/verifications`, { verification: given }, headers),
  );
}

async function idOf(answer: ReturnType<typeof record>): Promise<string> {
  const { body } = (await answer) as { body: { data: { verification: { id: string } } } };
  return body.data.verification.id;
}

async function shownIn(registrar: Registrar, code: string) {
  const { verifications } = await repp.read(registrar, code);
  return verifications as { id: string; claim: string; result: string }[];
}

const claimsOf = async (registrar: Registrar, code: string) =>
  (await shownIn(registrar, code)).map(({ claim }) => claim);

test('a check that was recorded is shown with its contact, and in its history', async () => {
  const registrar = await addRegistrar(worker.env, {}, { username: 'kati' });
  const { code } = await addContact(worker.env, registrar);
  const given = {
    ...{ claim: 'identity', method: 'eid', framework: 'eidas', reference: 'N-1' },
    verified_at: '2026-03-04T05:06:07+02:00',
  };
  const id = await idOf(record(registrar, code, given));
  const { verified_at, verifications } = await repp.read(registrar, code);
  expect(verified_at).toBe('2026-03-04T03:06:07.000Z');
  const by = `${registrar.apiUser.id}-ApiUser: kati`;
  expect(verifications).toEqual([
    { id, ...given, result: 'success', verified_at, verified_by: by },
  ]);
  const { body } = await answerOf(repp.request(registrar, 'GET', `/${code}/history`));
  expect(body).toMatchObject({
    data: { history: [{ by, changes: { identity_verification: { from: null, to: { id } } } }] },
  });
});

test('a check replaces the one before of the same claim, and one that failed verifies nobody', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  await record(registrar, code, { claim: 'identity', method: 'eid' });
  await record(registrar, code, { claim: 'email', method: 'email' });
  const id = await idOf(
    record(registrar, code, { claim: 'identity', method: 'eid', result: 'failed' }),
  );
  const contact = await repp.read(registrar, code);
  expect(contact).toMatchObject({
    verified_at: null,
    verifications: [
      { id, claim: 'identity', result: 'failed' },
      { claim: 'email', result: 'success' },
    ],
  });
});

test('what may be left out of a check may be null', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const nothing = { framework: null, reference: null, result: null, verified_at: null };
  await idOf(record(registrar, code, { claim: 'name', method: 'post', ...nothing }));
  expect(await shownIn(registrar, code)).toMatchObject([{ claim: 'name', result: 'success' }]);
});

test('a verification that is withdrawn is gone; withdrawn again, it is not found', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const id = await idOf(record(registrar, code, { claim: 'phone', method: 'sms' }));
  const withdraw = () =>
    answerOf(repp.request(registrar, 'DELETE', `/${code}/verifications/${id}`));
  expect(await withdraw()).toEqual(completed({}));
  expect(await shownIn(registrar, code)).toEqual([]);
  expect(await withdraw()).toMatchObject({ status: 404, body: { code: 2303 } });
});

test.each([
  ['a claim that there is not', { claim: 'age' }, 'Claim is invalid [verification.claim]'],
  [
    'a method of 51 characters',
    { method: 'm'.repeat(51) },
    'Method is invalid [verification.method]',
  ],
  ['an unknown result', { result: 'maybe' }, 'Result is invalid [verification.result]'],
  [
    'a word for a time',
    { verified_at: 'yesterday' },
    'Verified at is invalid [verification.verified_at]',
  ],
])('refuses %s', async (_, given, message) => {
  const { registrar, code } = await addOwnContact(worker.env);
  const check = { claim: 'identity', method: 'eid', ...given };
  const detail = expect.stringMatching(/^Expected: (one of|text of|a day or a time)/);
  expect(await record(registrar, code, check)).toMatchObject({
    status: 400,
    body: { message, errors: [{ detail }] },
  });
  expect(await shownIn(registrar, code)).toEqual([]);
});

test('refuses a check without a claim or a method, and one in the future', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  expect(await record(registrar, code, { method: 'eid' })).toMatchObject({
    body: { code: 2003, message: 'Required parameter missing [verification.claim]' },
  });
  expect(await record(registrar, code, { claim: 'name' })).toMatchObject({
    body: { code: 2003, message: 'Required parameter missing [verification.method]' },
  });
  const later = new Date(Date.now() + 60_000).toISOString();
  const check = { claim: 'name', method: 'eid', verified_at: later };
  expect(await record(registrar, code, check)).toMatchObject({
    status: 400,
    body: { message: 'Verified at is in the future [verification.verified_at]' },
  });
});

test('a check under the same idempotency key is recorded once', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const check = { claim: 'name', method: 'eid' };
  const key = { 'Idempotency-Key': 'check-1' };
  const first = await idOf(record(registrar, code, check, key));
  expect(await idOf(record(registrar, code, check, key))).toBe(first);
});

test('a check for a version that is no longer current is refused', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const stale = { 'If-Match': '"c0000000-0"' };
  const answer = await record(registrar, code, { claim: 'name', method: 'eid' }, stale);
  expect(answer).toMatchObject({ status: 412, body: { code: 2304 } });
});

const allClaims = {
  identityVerification: verification(),
  nameVerification: verification(),
  emailVerification: verification(),
  phoneVerification: verification(),
  addressVerification: verification(),
};

test.each([
  ['name', { name: 'Mari Mets' }],
  ['email', { email: 'mari.mets@example.ee' }],
  ['phone', { phone: '+372.6000000' }],
  ['address', { addr: { city: 'Tartu' } }],
])('a registrar’s change of the %s ends its verification and no other', async (claim, change) => {
  const { registrar, code } = await addOwnContact(worker.env, allClaims);
  await repp.update(registrar, code, change);
  const others = ['identity', 'name', 'email', 'phone', 'address'].filter((one) => one !== claim);
  expect(await claimsOf(registrar, code)).toEqual(others);
  const { body } = await answerOf(repp.request(registrar, 'GET', `/${code}/history`));
  expect(body).toMatchObject({
    data: { history: [{ changes: { [`${claim}_verification`]: { to: { result: 'ended' } } } }] },
  });
});

test('a field that is no claim’s ends nothing, nor does the same value sent again', async () => {
  const { registrar, contact } = await addOwnContact(worker.env, allClaims);
  await repp.update(registrar, contact.code, { fax: '+372.6000000', email: contact.email });
  expect(await claimsOf(registrar, contact.code)).toHaveLength(5);
});

test('an address whose domain is only spelt in another way is no change, whoever sends it', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env);
  const values = { ident: person.code, ...allClaims, email: 'info@õun.ee' };
  const { code, uuid } = await addContact(worker.env, registrar, values);
  const email = 'info@XN--un-bka.ee';
  await repp.update(registrar, code, { email });
  await registrantClient(worker).update(person, uuid, { email: 'info@ÕUN.ee' });
  expect(await updateAnyContact(worker.operation, code, { email })).toEqual({});
  expect((await repp.read(registrar, code)).email).toBe('info@õun.ee');
  expect(await claimsOf(registrar, code)).toHaveLength(5);
  for (const spelling of ['info@õun.ee', email, 'INFO@ÕUN.EE']) {
    const query = `?email=${encodeURIComponent(spelling)}`;
    expect((await repp.list(registrar, query)).body.contacts).toEqual([code]);
  }
});

test('the notification of a change by somebody else says which verifications have ended', async () => {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env);
  const values = { ident: person.code, ...allClaims };
  const { code, uuid } = await addContact(worker.env, registrar, values);
  const changes: object[] = [{ email: 'jaan@example.ee' }, { fax: '+372.6000000' }];
  for (const change of changes) await registrantClient(worker).update(person, uuid, change);
  await updateAnyContact(worker.operation, code, { name: 'Jaan', city: 'Tartu', zip: '50001' });
  const notified = await worker.fetch('/repp/v1/registrar/notifications/all_notifications', {
    headers: { Authorization: registrar.authorization },
  });
  const { data } = (await notified.json()) as { data: { text: string }[] };
  expect(data.map(({ text }) => text)).toEqual([
    `Contact ${code} has been updated by registrant; the verification of its email has ended`,
    `Contact ${code} has been updated by registrant`,
    `Contact ${code} has been updated by registry; the verification of its name and address has ended`,
  ]);
});

test('a value that comes back does not bring its verification back', async () => {
  const { registrar, code, email } = await addOwnContact(worker.env, allClaims);
  await repp.update(registrar, code, { email: 'other@example.ee' });
  await repp.update(registrar, code, { email });
  expect(await claimsOf(registrar, code)).not.toContain('email');
});

test('a demand ends when everything that it asks for is verified', async () => {
  const { registrar, code } = await addOwnContact(worker.env, {
    verificationDemand: { claims: ['identity', 'email'], by: '2027-01-31' },
  });
  const demand = async () => (await repp.read(registrar, code)).verification_demand;
  await record(registrar, code, { claim: 'identity', method: 'eid', result: 'failed' });
  await record(registrar, code, { claim: 'email', method: 'email' });
  expect(await demand()).toEqual({ claims: ['identity', 'email'], by: '2027-01-31' });
  await record(registrar, code, { claim: 'identity', method: 'eid' });
  expect(await demand()).toBeNull();
});

const emailDemand = (by: string) => ({
  emailVerification: verification(),
  verificationDemand: { claims: ['email' as const], by },
});

test.each<[string, (contact: { registrar: Registrar; code: string }) => Promise<unknown>]>([
  [
    'is withdrawn',
    async ({ registrar, code }) => {
      const [check] = await shownIn(registrar, code);
      await repp.request(registrar, 'DELETE', `/${code}/verifications/${check!.id}`);
    },
  ],
  [
    'is replaced by one that failed',
    ({ registrar, code }) =>
      record(registrar, code, { claim: 'email', method: 'email', result: 'failed' }),
  ],
  [
    'ends with a change of the value',
    ({ registrar, code }) => repp.update(registrar, code, { email: 'mari@example.com' }),
  ],
  [
    'ends with a change by the operator',
    ({ code }) => updateAnyContact(worker.operation, code, { email: 'mari@example.com' }),
  ],
])('a demand is open again if the check that met it %s before its day is over', async (_, end) => {
  const demands = ['2099-01-31', '2020-01-31'].map(async (by) => {
    const contact = await addOwnContact(worker.env, emailDemand(by));
    const demand = async () =>
      (await repp.read(contact.registrar, contact.code)).verification_demand;
    expect(await demand()).toBeNull();
    await end(contact);
    return demand();
  });
  expect(await Promise.all(demands)).toEqual([{ claims: ['email'], by: '2099-01-31' }, null]);
});

test('a demand that is met after its day stays ended when the check is withdrawn', async () => {
  const { registrar, code } = await addOwnContact(worker.env, {
    verificationDemand: { claims: ['email'], by: '2020-01-31' },
  });
  const id = await idOf(record(registrar, code, { claim: 'email', method: 'email' }));
  await repp.request(registrar, 'DELETE', `/${code}/verifications/${id}`);
  expect(await repp.read(registrar, code)).toMatchObject(unverified);
});

test('an open demand whose day is over stays open, whatever else changes', async () => {
  const demand = { claims: ['email' as const], by: '2020-01-31' };
  const { registrar, code } = await addOwnContact(worker.env, { verificationDemand: demand });
  await repp.update(registrar, code, { fax: '+372.6000000' });
  await record(registrar, code, { claim: 'email', method: 'email', result: 'failed' });
  expect((await repp.read(registrar, code)).verification_demand).toEqual(demand);
});

test.each<[Claim, object]>([
  ['address', {}],
  ['address', { street: '', city: ' ' }],
  ['phone', { phone: '' }],
  ['email', { email: '' }],
  ['name', { name: '' }],
  ['identity', { ident: '' }],
  ['identity', { ident: '-' }],
])('refuses a check of the %s of a contact that has none: %j', async (claim, values) => {
  const { registrar, code } = await addOwnContact(worker.env, values);
  const message = `The contact has no ${claim} to verify [verification.claim]`;
  for (const result of ['success', 'failed']) {
    expect(await record(registrar, code, { claim, method: 'post', result })).toMatchObject({
      status: 400,
      body: { code: 2005, message },
    });
  }
  expect(await shownIn(registrar, code)).toEqual([]);
});

test('takes a check of an address of which only a part is known', async () => {
  const { registrar, code } = await addOwnContact(worker.env, { city: 'Tartu' });
  await idOf(record(registrar, code, { claim: 'address', method: 'post' }));
  expect(await claimsOf(registrar, code)).toEqual(['address']);
});

test('the list shows those whose identity is not verified', async () => {
  const registrar = await addRegistrar(worker.env);
  const listed = [
    await addContact(worker.env, registrar),
    await addContact(worker.env, registrar, { emailVerification: verification() }),
    await addContact(worker.env, registrar, {
      identityVerification: verification({ result: 'failed' }),
    }),
    await addContact(worker.env, registrar, {
      identityVerification: verification({ result: 'ended' }),
    }),
  ];
  await addContact(worker.env, registrar, { identityVerification: verification() });
  const { body } = await repp.list(registrar, '?verified=false');
  expect(body).toEqual({ contacts: listed.map(({ code }) => code), total_number_of_records: 4 });
  expect(await repp.list(registrar, '?verified=true')).toMatchObject(
    refused(2005, 'Verified is invalid [verified]', 'verified', 400, parameterDetails.verified),
  );
});

test('refuses a check from before the last change of the value, and takes one from after it', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const before = new Date().toISOString();
  await pause(2);
  await repp.update(registrar, code, { email: 'mari.mets@example.ee' });
  const email = { claim: 'email', method: 'email' };
  expect(await record(registrar, code, { ...email, verified_at: before })).toMatchObject({
    status: 400,
    body: {
      message: 'The value has changed since it was verified [verification.verified_at]',
    },
  });
  // Nothing of the phone has changed since.
  const phone = { claim: 'phone', method: 'sms', verified_at: before };
  expect(await record(registrar, code, phone)).toMatchObject({ status: 200 });
  await pause(2);
  const now = new Date().toISOString();
  expect(await record(registrar, code, { ...email, verified_at: now })).toMatchObject({
    status: 200,
  });
});

test('a check is not recorded of a value that comes between it and its write', async () => {
  const { registrar, code } = await addOwnContact(worker.env);
  const change = () => updateAnyContact(worker.operation, code, { email: 'mari@example.com' });
  const db = beforeBatch(worker.env, 2, change);
  const check = { claim: 'email', method: 'email' } as const;
  const request = { at: new Date(), requestId: crypto.randomUUID() };
  await expect(
    recordVerification({ db, login: registrar.login, request }, code, check),
  ).rejects.toMatchObject({ reason: 'changed_meanwhile' });
  expect(await claimsOf(registrar, code)).toEqual([]);
});

test('a change of the name ends the identity of a contact that is known by a birthday, and of no other', async () => {
  const registrar = await addRegistrar(worker.env);
  const checked = { identityVerification: verification(), identityRequest };
  const byCode = await addContact(worker.env, registrar, checked);
  const birthday = { identType: 'birthday', ident: '1980-01-02' };
  const byBirthday = await addContact(worker.env, registrar, { ...birthday, ...checked });
  for (const { code } of [byCode, byBirthday]) {
    await repp.update(registrar, code, { name: 'Mari Tamm' });
  }
  expect(await claimsOf(registrar, byCode.code)).toEqual(['identity']);
  expect(await repp.read(registrar, byBirthday.code)).toMatchObject(unverified);
});

const identityRequest = { id: 'R-1', sent_at: '2026-05-06T07:08:09.010Z', pending: null };

test('what was asked about an identity ends with it, and with the registrar that asked', async () => {
  const [registrar, other] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const corrected = await addContact(worker.env, registrar, { identityRequest });
  await updateAnyContact(worker.operation, corrected.code, { phone: '+372.6000000' });
  expect(await repp.read(registrar, corrected.code)).toMatchObject({ verification_id: 'R-1' });
  await updateAnyContact(worker.operation, corrected.code, { ident: '47101010033' });
  expect(await repp.read(registrar, corrected.code)).toMatchObject(unverified);
  const transferred = await addContact(worker.env, registrar, {
    ...{ identityRequest, emailVerification: verification() },
  });
  await transferContact(worker.operation, transferred.code, other.code);
  expect(await repp.read(other, transferred.code)).toMatchObject({
    verification_id: null,
    verifications: [{ claim: 'email' }],
  });
});

test('a contact that goes to another registrar takes its demand along, but not who checked it', async () => {
  const [from, to] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const { code } = await addContact(worker.env, from);
  const verified = { claim: 'email', method: 'letter', reference: 'SECRET-REFERENCE' };
  const body = { verification: verified };
  const recorded = await repp.request(from, 'POST', `/${code}/verifications`, body);
  expect(recorded.status).toBe(200);
  await demandVerification(worker.operation, code, { claims: ['phone'], by: '2099-01-01' });
  await transferContact(worker.operation, code, to.code);
  const read = await repp.read(to, code);
  expect(read).toMatchObject({
    verifications: [{ claim: 'email', reference: null, verified_by: null }],
    verification_demand: { claims: ['phone'] },
  });
  const history = await answerOf(repp.request(to, 'GET', `/${code}/history`));
  expect(history.body.data.history.length).toBeGreaterThan(2);
  const shown = JSON.stringify(history.body.data.history.map(({ changes }: never) => changes));
  expect(shown).not.toContain(verified.reference);
  expect(shown).not.toContain(from.apiUser.username);
  const told = await answerOf(
    worker.fetch('/repp/v1/registrar/notifications/all_notifications', send('GET', to)),
  );
  const texts = told.body.data.map(({ text }: { text: string }) => text);
  expect(texts.join()).toContain(`Contact ${code} must be verified by 2099-01-01: phone`);
});

test('a demand that is met stays until its last day is over', () => {
  const met = {
    ...{ identityVerification: null, nameVerification: null, emailVerification: verification() },
    ...{ phoneVerification: null, addressVerification: null },
    verificationDemand: { claims: ['email' as const], by: '2026-05-06' },
  };
  expect(demandAfter(met, met, '2026-05-06')).toBeUndefined();
  expect(demandAfter(met, met, '2026-05-07')).toEqual({ verificationDemand: null });
});
