import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import {
  auctions,
  disputes,
  domains,
  registrations,
  retainedDomains,
} from '../../../../drizzle/schema.ts';
import { sha256Hex } from '../../../../src/base/bytes/digest.ts';
import { deleteContact } from '../../../../src/contact/delete.ts';
import { startAuctions } from '../../../../src/name/auction/operator/start.ts';
import { importDomains } from '../../../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { removeDomains } from '../../../../src/name/domain/save.ts';
import type { DomainName } from '../../../../src/name/name.ts';
import { readNameState } from '../../../../src/name/registration/name-state.ts';
import { registerDomain } from '../../../../src/name/registration/register.ts';
import {
  forgetRegistrations,
  takeBackRegistration,
} from '../../../../src/name/registration/take-back.ts';
import { removeRetainedDomains } from '../../../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../../../src/name/retained/operator/change-names.ts';
import { openDispute } from '../../../../src/name/retained/operator/dispute.ts';
import { readUsedPasswords } from '../../../../src/name/retained/operator/replace.ts';
import { endReservations, saveRetainedDomain } from '../../../../src/name/retained/save.ts';
import { answerOf, auctionClient } from '../../../support/client.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addOwnContact,
  addRetainedDomain,
  addSystem,
  operator,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { beforeBatch } from '../../../support/meanwhile.ts';
import { changesOf, historyOf } from '../../../support/stored.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker({ ZONES: 'ee' });

/** A system, a registrar with a contact, and a name that nothing stands in the way of. */
async function prepare() {
  const system = await addSystem(worker.env, ['domains']);
  const { registrar, contact } = await addOwnContact(worker.env);
  const name = `õun${unique()}.ee`;
  const domain = { registrar: registrar.code, registrant: contact.code };
  return { system, registrar, contact, name, domain };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

function call(
  method: 'POST' | 'DELETE',
  { system, name }: Pick<Prepared, 'system' | 'name'>,
  body?: object,
) {
  const path = `/api/v1/internal/names/${encodeURIComponent(name)}/registration`;
  return answerOf(worker.fetch(path, send(method, system, body)));
}

const register = (prepared: Prepared, secrets: object = {}) =>
  call('POST', prepared, { domain: prepared.domain, ...secrets });
const takeBack = (prepared: Prepared) => call('DELETE', prepared);

const codes = () => crypto.randomUUID().replaceAll('-', '');

async function refusedField(prepared: Prepared, secrets: object = {}) {
  const { status, body } = await register(prepared, secrets);
  expect(status).toBe(409);
  return Object.keys(body.errors).join();
}

async function rowsOf({ name }: { name: string }) {
  const { db } = worker;
  const [auction] = await db.select().from(auctions).where(eq(auctions.name, name));
  const [retained] = await db.select().from(retainedDomains).where(eq(retainedDomains.name, name));
  const [dispute] = await db.select().from(disputes).where(eq(disputes.name, name));
  return { auction, retained, dispute };
}

test('a free name is registered once, and again with the same words', async () => {
  const prepared = await prepare();
  const { registrar, contact, name, system } = prepared;
  const body = {
    domain: {
      ...prepared.domain,
      registrar: registrar.code.toLowerCase(),
      tech_contacts: [contact.code.toLowerCase(), contact.code],
    },
  };
  const domain = {
    ...{ name, punycode_name: parseDomainName(name).punycode },
    ...{ registrar: registrar.code, registrant: contact.code },
    ...{ admin_contacts: [], tech_contacts: [contact.code] },
  };
  expect(await call('POST', prepared, body)).toEqual({ status: 201, body: { domain } });
  expect(await call('POST', prepared, body)).toEqual({ status: 200, body: { domain } });
  expect(await historyOf(worker.env, 'domain', prepared)).toMatchObject([
    {
      action: 'create',
      registrar: registrar.code,
      actorType: 'system',
      actor: `System: ${system.name}`,
    },
  ]);
});

test('a domain that is registered otherwise is refused under its name', async () => {
  const prepared = await prepare();
  await register(prepared);
  const { code } = await addContact(worker.env, prepared.registrar);
  const other = { ...prepared, domain: { ...prepared.domain, registrant: code } };
  expect(await refusedField(other)).toBe('name');
});

test('every unknown registrar and contact is refused under its field', async () => {
  const prepared = await prepare();
  const domain = {
    ...{ registrar: 'NOBODY', registrant: 'NOBODY:1' },
    ...{ admin_contacts: ['NOBODY:2'], tech_contacts: ['NOBODY:3'] },
  };
  const { status, body } = await call('POST', prepared, { domain });
  expect(status).toBe(400);
  expect(body.errors).toEqual({
    registrar: ['there is no registrar "NOBODY"'],
    registrant: ['there is no contact "NOBODY:1"'],
    admin_contacts: ['there is no contact "NOBODY:2"'],
    tech_contacts: ['there is no contact "NOBODY:3"'],
  });
});

test('a body without a domain, or with values of another type, is refused under its fields', async () => {
  const prepared = await prepare();
  const none = await call('POST', prepared, {});
  expect(none).toEqual({
    status: 400,
    body: { errors: { domain: ['is required'] }, reason: 'invalid' },
  });
  const domain = { registrar: 7, admin_contacts: 'A', tech_contacts: [7] };
  const { status, body } = await call('POST', prepared, { domain });
  expect([status, Object.keys(body.errors).sort()]).toEqual([
    400,
    ['admin_contacts', 'registrant', 'registrar', 'tech_contacts'],
  ]);
});

test('the first obstacle alone is named, in the order of the contract', async () => {
  const { env, db } = worker;
  const prepared = await prepare();
  const { name } = prepared;
  const [code, password, disputePassword] = [codes(), codes(), codes()];
  const refused = async (secrets: object = {}) => {
    const { status, body } = await register(prepared, secrets);
    expect(status).toBe(409);
    return body;
  };
  await addRetainedDomain(env, { name, password });
  await addRetainedDomain(env, { name, status: 'blocked' });
  await addDispute(env, { name, password: disputePassword });
  const auction = await addAuction(env, { name });
  const isAuction = eq(auctions.id, auction.id);
  const report = (values: Partial<typeof auctions.$inferInsert>) =>
    db.update(auctions).set(values).where(isAuction);
  const all = { registration_code: disputePassword, password: code };

  expect(await refused(all)).toEqual({
    errors: { name: [`"${name}" is blocked`] },
    reason: 'blocked',
  });
  const isBlocked = and(eq(retainedDomains.name, name), eq(retainedDomains.status, 'blocked'));
  await db.delete(retainedDomains).where(isBlocked);
  expect(await refused({ registration_code: code, password })).toEqual({
    errors: { name: [`"${name}" is disputed: this is not the password of the dispute`] },
    reason: 'dispute_password_wrong',
  });
  expect(await refused(all)).toEqual({
    errors: { name: [`"${name}" is in auction`] },
    reason: 'in_auction',
  });
  await report({ status: 'awaiting_payment' });
  expect(await refused(all)).toEqual({
    errors: { name: [`"${name}" has an auction that awaits payment`] },
    reason: 'awaiting_payment',
  });
  await report({ status: 'payment_received', registrationCode: code });
  const wrong = 'this is not the registration code of its auction';
  expect(await refused({ password: disputePassword })).toEqual({
    errors: { registration_code: [`"${name}" has been won in an auction: ${wrong}`] },
    reason: 'code_wrong',
  });
  await report({ registrationDeadline: '2026-01-31' });
  expect(await refused(all)).toEqual({
    errors: { registration_code: [`"${name}" had to be registered by 2026-01-31 with this code`] },
    reason: 'code_late',
  });
  await report({ registrationDeadline: null });
  expect((await register(prepared, all)).status).toBe(201);
});

test('a missing code and a missing password are named as such', async () => {
  const [won, reserved] = [await prepare(), await prepare()];
  const status = 'payment_received';
  await addAuction(worker.env, { name: won.name, status, registrationCode: codes() });
  await addRetainedDomain(worker.env, { name: reserved.name, password: codes() });
  expect((await register(won)).body.errors.registration_code[0]).toMatch(/code .* is missing$/);
  expect((await register(reserved)).body.errors.password[0]).toMatch(/password is missing$/);
  expect(await refusedField(reserved, { password: 'wrong' })).toBe('password');
});

test('a secret that the registry does not have lets nobody register', async () => {
  const [won, reserved, disputed] = [await prepare(), await prepare(), await prepare()];
  await addAuction(worker.env, { name: won.name, status: 'payment_received' });
  await addRetainedDomain(worker.env, { name: reserved.name });
  await addDispute(worker.env, { name: disputed.name });
  for (const given of [{ registration_code: 'null', password: 'undefined' }, {}]) {
    expect(await refusedField(won, given)).toBe('registration_code');
    // None is asked for, because nobody has it.
    expect((await register(reserved, given)).body.reason).toBe('reserved');
    expect((await register(disputed, given)).body.reason).toBe('disputed');
  }
});

test("a winner's code ends the auction, and leaves the password of a reserved name alone", async () => {
  const prepared = await prepare();
  const { name } = prepared;
  const [code, password] = [codes(), codes()];
  const status = 'payment_received';
  await addAuction(worker.env, { name, status, registrationCode: code });
  await addRetainedDomain(worker.env, { name, password });
  expect((await register(prepared, { password: code })).status).toBe(201);
  const { auction, retained } = await rowsOf(prepared);
  expect(auction).toMatchObject({
    status: 'domain_registered',
    registrationCode: null,
    version: 2,
  });
  expect(retained).toMatchObject({ password });
  expect(await changesOf(worker.env, 'auction', prepared)).toEqual([
    {
      action: 'update',
      changes: {
        status: { from: status, to: 'domain_registered' },
        registrationCode: { redacted: true },
      },
    },
  ]);
});

test("a reserved name's password is used up, and the name stays reserved under a new one", async () => {
  const prepared = await prepare();
  const password = codes();
  await addRetainedDomain(worker.env, { name: prepared.name, password });
  expect((await register(prepared, { registration_code: password })).status).toBe(201);
  const { retained } = await rowsOf(prepared);
  expect(retained!.password).toMatch(/^[0-9a-f]{32}$/);
  expect(retained!.password).not.toBe(password);
  await removeDomains(worker.operation, [prepared.name]);
  expect(await refusedField(prepared, { password })).toBe('password');
  const used = await readUsedPasswords(worker.db);
  expect(used.get(prepared.name)).toEqual([await sha256Hex(password)]);
});

test("a dispute's password closes the dispute, and suffices for a reserved name", async () => {
  const prepared = await prepare();
  const [password, other] = [codes(), codes()];
  await addDispute(worker.env, { name: prepared.name, password });
  await addRetainedDomain(worker.env, { name: prepared.name, password: other });
  expect((await register(prepared, { password })).status).toBe(201);
  const { dispute, retained } = await rowsOf(prepared);
  expect(dispute!.closedAt).not.toBeNull();
  expect(retained!.password).toBe(other);
});

test.each([
  ['2026-02-03', '2026-02-03T23:59:59.999Z', true],
  ['2026-02-03', '2026-02-04T00:00:00.000Z', false],
  ['2026-02-03T10:00:00.000Z', '2026-02-03T10:00:00.000Z', true],
  ['2026-02-03T10:00:00.000Z', '2026-02-03T10:00:00.001Z', false],
])('a code with the deadline %s is good at %s: %s', async (registrationDeadline, at, isGood) => {
  const { system, registrar, contact, name } = await prepare();
  const code = codes();
  const status = 'payment_received';
  await addAuction(worker.env, { name, status, registrationCode: code, registrationDeadline });
  const parties = { registrar: registrar.code, registrant: contact.code, admin: [], tech: [] };
  const record = { ...parseDomainName(name), ...parties };
  const origin = { ...operator, request: { at: new Date(at), requestId: crypto.randomUUID() } };
  const done = registerDomain({ db: worker.db, origin }, system, record, [code]);
  if (isGood) await done;
  else await expect(done).rejects.toMatchObject({ reason: 'conflict' });
});

test('of many registrations of one name at once, one gets it', async () => {
  const prepared = await prepare();
  const others = await Promise.all(
    Array.from({ length: 6 }, async () => ({
      ...prepared,
      domain: {
        ...prepared.domain,
        registrant: (await addContact(worker.env, prepared.registrar)).code,
      },
    })),
  );
  const answers = await Promise.all(others.map((each) => register(each)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
});

/** A registration in the way of which something comes between its look and its write. */
async function registerAfter(
  prepared: Prepared,
  work: () => Promise<unknown>,
  secrets: readonly string[] = [],
) {
  // The look is a batch too.
  const db = beforeBatch(worker.env, 2, work);
  const { registrar, contact, name, system } = prepared;
  const parties = { registrar: registrar.code, registrant: contact.code, admin: [], tech: [] };
  return registerDomain(
    { db, origin: operator },
    system,
    { ...parseDomainName(name), ...parties },
    secrets,
  );
}

test.each([
  [
    'is disputed: the password of the dispute is missing',
    (name: DomainName) =>
      openDispute(worker.operation, { ...name, firstDay: '2000-01-01', lastDay: '2099-12-31' }),
  ],
  ['is in auction', (name: DomainName) => startAuctions(worker.operation, [name])],
  [
    'is blocked',
    (name: DomainName) => addRetainedDomains(worker.operation, [{ ...name, status: 'blocked' }]),
  ],
])('a registration is refused if its name %s by then', async (obstacle, obstruct) => {
  const prepared = await prepare();
  const work = () => obstruct(parseDomainName(prepared.name));
  await expect(registerAfter(prepared, work)).rejects.toMatchObject({
    reason: 'conflict',
    message: `"${prepared.name}" ${obstacle}`,
  });
});

test('a registration that is refused at the last moment uses no password up', async () => {
  const prepared = await prepare();
  const password = codes();
  await addRetainedDomain(worker.env, { name: prepared.name, password });
  const blocked = { ...parseDomainName(prepared.name), status: 'blocked' } as const;
  const work = () => addRetainedDomains(worker.operation, [blocked]);
  await expect(registerAfter(prepared, work, [password])).rejects.toThrow('is blocked');
  await removeRetainedDomains(worker.operation, [blocked]);
  expect((await register(prepared, { password })).status).toBe(201);
});

test('a contact that is deleted during a registration refuses it', async () => {
  const prepared = await prepare();
  const { registrar, contact } = prepared;
  const request = { at: new Date(), requestId: crypto.randomUUID() };
  const work = () =>
    deleteContact({ db: worker.db, login: registrar.login, request }, contact.code);
  await expect(registerAfter(prepared, work)).rejects.toMatchObject({ reason: 'not_found' });
  expect(await historyOf(worker.env, 'domain', prepared)).toEqual([]);
});

test('a registration that is taken back leaves auction, code, password and dispute as they were', async () => {
  const { env } = worker;
  const prepared = await prepare();
  const { name } = prepared;
  const [code, password] = [codes(), codes()];
  const status = 'payment_received';
  await addAuction(env, { name, status, registrationCode: code });
  await addDispute(env, { name, password });
  await addRetainedDomain(env, { name, password: codes() });
  const before = await rowsOf(prepared);
  const secrets = { registration_code: code, password };
  expect((await register(prepared, secrets)).status).toBe(201);
  expect(await takeBack(prepared)).toEqual({ status: 204, body: undefined });
  const { auction, dispute, retained } = await rowsOf(prepared);
  expect(retained).toEqual(before.retained);
  expect(await historyOf(env, 'retained_domain', prepared)).toEqual([]);
  const { version, updatedAt, ...rest } = auction!;
  expect(before.auction).toMatchObject(rest);
  expect(version).toBe(3);
  expect(dispute).toEqual(before.dispute);
  expect(await takeBack(prepared)).toEqual({ status: 204, body: undefined });
  expect((await register(prepared, secrets)).status).toBe(201);
  const subjects = await changesOf(env, 'domain', prepared);
  expect(subjects.map(({ action }) => action)).toEqual(['create', 'delete', 'create']);
});

test('a payment that is reported again after the registration sells the name to nobody else', async () => {
  const prepared = await prepare();
  const code = codes();
  const paid = { status: 'payment_received', registrationCode: code } as const;
  const { uuid } = await addAuction(worker.env, { name: prepared.name, ...paid });
  expect((await register(prepared, { registration_code: code })).status).toBe(201);
  const again = auctionClient(worker).report(uuid, { status: 'payment_received' });
  const { body } = await answerOf(again);
  expect(body).toMatchObject({ status: 'domain_registered', registration_code: null });
  expect((await takeBack(prepared)).status).toBe(204);
  expect((await rowsOf(prepared)).auction).toMatchObject(paid);
});

test('a registration that is taken back gives a reserved name its password back', async () => {
  const prepared = await prepare();
  const password = codes();
  await addRetainedDomain(worker.env, { name: prepared.name, password });
  await register(prepared, { password });
  expect((await takeBack(prepared)).status).toBe(204);
  expect((await rowsOf(prepared)).retained).toMatchObject({ password, usedPasswords: null });
});

test('a registration on the last day of a reservation can be taken back after it', async () => {
  const prepared = await prepare();
  const { name } = prepared;
  const today = new Date().toISOString().slice(0, 10);
  await addRetainedDomain(worker.env, { name, status: 'reserved', password: 'a', lastDay: today });
  expect((await register(prepared, { password: 'a' })).status).toBe(201);
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
  await endReservations(worker.db, { at: tomorrow, requestId: crypto.randomUUID() });
  expect((await takeBack(prepared)).status).toBe(204);
  const { retained } = await rowsOf(prepared);
  expect(retained).toBeUndefined();
  const [last] = (await historyOf(worker.env, 'retained_domain', { name })).slice(-1);
  expect(last).toMatchObject({ action: 'delete' });
});

test('a reservation whose last day is over stands in nobody’s way, and can be made anew', async () => {
  const prepared = await prepare();
  const { name } = prepared;
  const over = { name, status: 'reserved', password: 'a', lastDay: '2026-01-01' } as const;
  await addRetainedDomain(worker.env, over);
  const state = await readNameState(worker.db, name, new Date());
  expect(state.reservation).toBeUndefined();
  const saved = await saveRetainedDomain(worker.operation, parseDomainName(name), 'reserved');
  expect(saved).toMatchObject({ isNew: true, lastDay: null, password: expect.any(String) });
  expect((await rowsOf(prepared)).retained).toMatchObject({
    lastDay: null,
    password: saved.password,
  });
  await worker.db
    .update(retainedDomains)
    .set({ lastDay: '2026-01-01' })
    .where(eq(retainedDomains.name, name));
  expect((await register(prepared)).status).toBe(201);
});

test('nobody takes back the registration of another system, one of yesterday, or one whose name has changed', async () => {
  const { db, env } = worker;
  const [foreign, old, changed, imported] = [
    await prepare(),
    await prepare(),
    await prepare(),
    await prepare(),
  ];
  for (const each of [foreign, old, changed]) await register(each);
  const body = (reason: string, sentence: string) => ({
    errors: { name: [expect.stringContaining(sentence)] },
    reason,
  });

  const other = { ...foreign, system: await addSystem(env, ['domains']) };
  expect(await takeBack(other)).toEqual({
    status: 409,
    body: body('not_yours', 'by another system'),
  });

  const registeredAt = new Date(Date.now() - 24 * 60 * 60 * 1000 - 1).toISOString();
  await db.update(registrations).set({ registeredAt }).where(eq(registrations.name, old.name));
  expect(await takeBack(old)).toEqual({ status: 409, body: body('late', 'in the last 24 hours') });

  const days = { firstDay: '2098-01-01', lastDay: '2099-12-31' };
  await openDispute({ db, origin: operator }, { ...parseDomainName(changed.name), ...days });
  expect(await takeBack(changed)).toEqual({
    status: 409,
    body: body('changed', 'has changed since'),
  });

  const { domain, name } = imported;
  const record = { ...parseDomainName(name), ...domain };
  await importDomains({ db, origin: operator }, [record]);
  expect(await takeBack(imported)).toEqual({
    status: 409,
    body: body('late', 'in the last 24 hours'),
  });
});

test('a change of the name during the taking back refuses it', async () => {
  const prepared = await prepare();
  await register(prepared);
  const days = { firstDay: '2098-01-01', lastDay: '2099-12-31' };
  const name = parseDomainName(prepared.name);
  const work = () => openDispute(worker.operation, { ...name, ...days });
  const db = beforeBatch(worker.env, 2, work);
  await expect(
    takeBackRegistration({ db, origin: operator }, prepared.system, name),
  ).rejects.toMatchObject({
    reason: 'conflict',
  });
});

const keptOf = ({ name }: { name: string }) =>
  worker.db.select().from(registrations).where(eq(registrations.name, name));

test.each([
  ['DELETE', '', undefined],
  ['DELETE', '?release=true', undefined],
  ['POST', 'batch', (name: string) => ({ domains: [{ name, deleted: true }] })],
])(
  'what a registration used up is forgotten when %s %s ends the domain',
  async (method, path, body) => {
    const prepared = await prepare();
    const { name, system } = prepared;
    const password = codes();
    await addDispute(worker.env, { name, password });
    await register(prepared, { password });
    expect(await keptOf(prepared)).toHaveLength(1);
    const url = `/api/v1/internal/domains/${body ? path : `${encodeURIComponent(name)}${path}`}`;
    expect((await worker.fetch(url, send(method, system, body?.(name)))).ok).toBe(true);
    expect(await keptOf(prepared)).toEqual([]);
    expect((await register(prepared)).status).toBe(path === '?release=true' ? 409 : 201);
  },
);

test('a name is registered again after moving in or a query by hand has removed its domain', async () => {
  const prepared = await prepare();
  await register(prepared);
  await worker.db.delete(domains).where(eq(domains.name, prepared.name));
  expect((await register(prepared)).status).toBe(201);
  expect(await keptOf(prepared)).toHaveLength(1);
});

test('what a registration used up is forgotten after a day, and never stands in the history', async () => {
  const prepared = await prepare();
  const password = codes();
  await addRetainedDomain(worker.env, { name: prepared.name, password });
  await register(prepared, { password });
  const kept = () => keptOf(prepared);
  const now = Date.now();
  await forgetRegistrations(worker.db, new Date(now + 23 * 60 * 60 * 1000));
  expect(await kept()).toMatchObject([{ consumed: { password } }]);
  await forgetRegistrations(worker.db, new Date(now + 25 * 60 * 60 * 1000));
  expect(await kept()).toEqual([]);
  const subjects = ['domain', 'retained_domain'] as const;
  const entries = await Promise.all(
    subjects.map((subject) => historyOf(worker.env, subject, prepared)),
  );
  expect(JSON.stringify(entries)).not.toContain(password);
});
