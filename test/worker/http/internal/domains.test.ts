import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { contacts, disputes } from '../../../../drizzle/schema.ts';
import { deleteAnyContact, updateAnyContact } from '../../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../../src/contact/operator/erase.ts';
import { startAuctions } from '../../../../src/name/auction/operator/start.ts';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { saveDomain } from '../../../../src/name/domain/save.ts';
import { releaseDomain } from '../../../../src/name/registration/release.ts';
import { openDispute } from '../../../../src/name/retained/operator/dispute.ts';
import { answerOf } from '../../../support/client.ts';
import {
  addContact,
  addDispute,
  addRegistrar,
  addRetainedDomain,
  addSystem,
  operator,
  send,
  unique,
} from '../../../support/fixtures.ts';
import { beforeBatch } from '../../../support/meanwhile.ts';
import { auctionsOf, changesOf, historyOf } from '../../../support/stored.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker();

let system: Awaited<ReturnType<typeof addSystem>>;
beforeAll(async () => {
  system = await addSystem(worker.env, ['domains']);
});

const call = (method: string, path: string, body?: object | string, by = system) =>
  answerOf(worker.fetch(`/api/v1/internal/domains/${path}`, send(method, by, body)));

/** A domain that the system has reported. */
async function newDomain() {
  const registrar = await addRegistrar(worker.env);
  const [holder, admin, tech] = [
    await addContact(worker.env, registrar),
    await addContact(worker.env, registrar),
    await addContact(worker.env, registrar),
  ];
  const name = `domain${unique()}.ee`;
  const domain = {
    ...{ registrar: registrar.code, registrant: holder.code },
    ...{ admin_contacts: [admin.code], tech_contacts: [tech.code] },
  };
  const saved = await call('PUT', name, { domain });
  const shown = { name, punycode_name: name, ...domain };
  expect(saved).toEqual({ status: 201, body: { domain: shown } });
  return { registrar, holder, admin, tech, name, domain, shown };
}

test('a system reports a domain, reads it, and reports it again', async () => {
  const { name, domain, shown } = await newDomain();
  expect(await call('GET', name.toUpperCase())).toEqual({ status: 200, body: { domain: shown } });
  expect(await call('PUT', name, { domain })).toEqual({ status: 200, body: { domain: shown } });
  const entries = await historyOf(worker.env, 'domain', { name });
  expect(entries).toMatchObject([{ action: 'create', actor: `System: ${system.name}` }]);
});

test('a list that is not told stays as it is, and an empty one is cleared', async () => {
  const { name, domain, shown, registrar } = await newDomain();
  const { code } = await addContact(worker.env, registrar);
  const { admin_contacts: _, ...others } = domain;
  const told = { ...others, registrant: code, tech_contacts: [] };
  expect((await call('PUT', name, { domain: told })).body.domain).toEqual({
    ...{ ...shown, registrant: code, tech_contacts: [] },
  });
});

test('a domain may get another registrar, and contacts of several', async () => {
  const { name, domain } = await newDomain();
  const other = await addRegistrar(worker.env);
  const told = { ...domain, registrar: other.code };
  expect((await call('PUT', name, { domain: told })).body.domain).toMatchObject(told);
});

test('a domain is saved whatever stands in the way of its registration', async () => {
  const { domain } = await newDomain();
  const { name } = await addRetainedDomain(worker.env, { status: 'blocked' });
  expect((await call('PUT', name, { domain })).status).toBe(201);
});

const anotherPerson = { ident: '49403136526' };

/** A disputed domain, with the codes of its person's copy and of another person. */
async function newDisputedDomain(password: string | null = 'sesame') {
  const made = await newDomain();
  const dispute = await addDispute(worker.env, { name: made.name, password });
  const copy = await addContact(worker.env, await addRegistrar(worker.env));
  const other = await addContact(worker.env, made.registrar, anotherPerson);
  return { ...made, dispute, copy, other };
}

const disputeOf = async (name: string) =>
  (await worker.db.select().from(disputes).where(eq(disputes.name, name)))[0]!;

test('while it is disputed, a domain gets no other person, alone or in a batch', async () => {
  const { name, domain, shown, other } = await newDisputedDomain();
  const told = { ...domain, registrant: other.code };
  const refusal = { errors: { registrant: [`"${name}" is disputed`] }, reason: 'disputed' };
  expect(await call('PUT', name, { domain: told })).toEqual({ status: 409, body: refusal });
  expect((await call('POST', 'batch', { domains: [{ name, ...told }] })).body).toEqual({
    results: [{ name, ok: false, ...refusal }],
  });
  expect((await call('GET', name)).body).toEqual({ domain: shown });
});

test('a disputed domain gets other contacts, another registrar, and a copy of its person', async () => {
  const { name, domain, copy, other } = await newDisputedDomain();
  const to = (await addRegistrar(worker.env)).code;
  expect((await call('POST', `${name}/transfer`, { registrar: to })).status).toBe(200);
  const told = { ...domain, registrant: copy.code, admin_contacts: [other.code] };
  expect(await call('PUT', name, { domain: told })).toMatchObject({
    ...{ status: 200, body: { domain: told } },
  });
  expect((await disputeOf(name)).closedAt).toBeNull();
});

test('a birthday or an unknown identity is the same as its copies, and as nobody else', async () => {
  for (const identity of [
    { identType: 'birthday', ident: '1980-01-08', name: 'Mari Maasikas' },
    { ident: '-', name: 'Mari Maasikas' },
    { ident: '38001085718', identCountryCode: '', name: 'Mari Maasikas' },
  ]) {
    const { name, domain, registrar } = await newDomain();
    const one = await addContact(worker.env, registrar, identity);
    const namesake = await addContact(worker.env, registrar, identity);
    const copy = await addContact(worker.env, await addRegistrar(worker.env), {
      ...identity,
      copiedFrom: one.id,
    });
    const hold = async ({ code }: { code: string }) =>
      (await call('PUT', name, { domain: { ...domain, registrant: code } })).status;
    expect(await hold(one)).toBe(200);
    await addDispute(worker.env, { name });
    expect([await hold(namesake), await hold(copy), await hold(one)]).toEqual([409, 200, 200]);
  }
});

test("with the dispute's password, the domain changes hands and the dispute closes, once", async () => {
  const { name, domain, other } = await newDisputedDomain('sesame');
  const told = { ...domain, registrant: other.code };
  const put = (password: string) => call('PUT', name, { domain: told, password });
  expect(await put('Sesame')).toEqual({
    status: 409,
    body: {
      errors: { password: [`"${name}" is disputed: this is not the password of the dispute`] },
      reason: 'dispute_password_wrong',
    },
  });
  for (const _ of [1, 2]) expect((await put('sesame')).body.domain).toMatchObject(told);
  const { closedAt } = await disputeOf(name);
  expect(closedAt).not.toBeNull();
  expect(await changesOf(worker.env, 'dispute', { name })).toEqual([
    {
      action: 'update',
      changes: {
        closedAt: { from: null, to: closedAt },
        reason: { from: null, to: 'its password gave the domain to another person' },
      },
    },
  ]);
  const path = `/repp/v1/retained_domains/${name}`;
  await expect.poll(async () => (await answerOf(worker.fetch(path))).body.statuses).toEqual([]);
});

test('a dispute on record without a password asks for none, and the same person needs none', async () => {
  const { name, domain, copy, other } = await newDisputedDomain(null);
  const put = (registrant: string, password?: string) =>
    call('PUT', name, { domain: { ...domain, registrant }, password });
  for (const password of [undefined, 'null']) {
    expect((await put(other.code, password)).body).toEqual({
      errors: { registrant: [`"${name}" is disputed`] },
      reason: 'disputed',
    });
  }
  expect((await put(copy.code)).status).toBe(200);
  expect((await disputeOf(name)).closedAt).toBeNull();
});

test('a dispute that is opened while a domain changes hands keeps it with its person', async () => {
  const { name, domain, shown, registrar } = await newDomain();
  const other = await addContact(worker.env, registrar, anotherPerson);
  const days = { firstDay: '2000-01-01', lastDay: '2099-12-31' };
  const open = () => openDispute(worker.operation, { ...parseDomainName(name), ...days });
  const db = beforeBatch(worker.env, 2, open);
  const request = { at: operator.request.at, requestId: crypto.randomUUID() };
  const { registrar: code } = domain;
  const record = { ...parseDomainName(name), registrar: code, registrant: other.code };
  const saved = saveDomain({ db, origin: { ...operator, request } }, record);
  await expect(saved).rejects.toMatchObject({ reason: 'conflict' });
  expect((await call('GET', name)).body).toEqual({ domain: shown });
});

test('a disputed domain may end, and is recorded again for its last person alone', async () => {
  const { name, domain, copy, other, shown } = await newDisputedDomain();
  const put = (registrant: string, password?: string) =>
    call('PUT', name, { domain: { ...domain, registrant }, password });
  expect((await call('DELETE', name)).status).toBe(204);
  const refusal = { errors: { registrant: [`"${name}" is disputed`] }, reason: 'disputed' };
  expect(await put(other.code)).toEqual({ status: 409, body: refusal });
  const row = { name, ...domain, registrant: other.code };
  expect((await call('POST', 'batch', { domains: [row] })).body.results).toEqual([
    { name, ok: false, ...refusal },
  ]);
  expect((await put(copy.code)).status).toBe(201);
  expect((await call('DELETE', name)).status).toBe(204);
  expect(
    (await call('POST', 'batch', { domains: [{ ...shown, ...domain }] })).body.results,
  ).toEqual([{ name, ok: true, errors: {} }]);
  expect((await call('DELETE', name)).status).toBe(204);
  expect((await put(other.code, 'sesame')).status).toBe(201);
  expect((await disputeOf(name)).closedAt).not.toBeNull();
});

test('a batch that removes a disputed domain and records it again keeps it with its person', async () => {
  const { name, domain, shown, other } = await newDisputedDomain();
  const row = { name, ...domain, registrant: other.code };
  const { body } = await call('POST', 'batch', { domains: [{ name, deleted: true }, row] });
  expect(body.results.at(-1)).toMatchObject({ ok: false, reason: 'disputed' });
  expect((await call('GET', name)).body).toEqual({ domain: shown });
});

test('a first record of a disputed name is a fact, whoever has it', async () => {
  const { domain } = await newDomain();
  const { name } = await addDispute(worker.env);
  expect((await call('PUT', name, { domain })).status).toBe(201);
});

test('a removed domain is compared with the identity that its registrant had then', async () => {
  const { name, domain, holder, copy } = await newDisputedDomain();
  expect((await call('DELETE', name)).status).toBe(204);
  await updateAnyContact(worker.operation, holder.code, { ident: '49403136526' });
  expect((await call('PUT', name, { domain })).body.reason).toBe('disputed');
  expect(
    (await call('PUT', name, { domain: { ...domain, registrant: copy.code } })).body.reason,
  ).toBe('disputed');
});

test('after a removal the person of a deleted contact is known, and that of an erased one is not', async () => {
  for (const [remove, status] of [
    [deleteAnyContact, 201],
    [eraseContact, 409],
  ] as const) {
    const { name, domain, holder, copy } = await newDisputedDomain();
    expect((await call('DELETE', name)).status).toBe(204);
    await remove(worker.operation, holder.code);
    const again = { ...domain, registrant: copy.code };
    expect((await call('PUT', name, { domain: again })).status).toBe(status);
  }
});

test('after a removal, a contact that got another identity and was deleted leads to nobody', async () => {
  const { name, domain, holder, copy, other } = await newDisputedDomain();
  expect((await call('DELETE', name)).status).toBe(204);
  await updateAnyContact(worker.operation, holder.code, anotherPerson);
  await deleteAnyContact(worker.operation, holder.code);
  for (const { code } of [other, copy]) {
    const again = { ...domain, registrant: code };
    expect((await call('PUT', name, { domain: again })).body.reason).toBe('disputed');
  }
});

test('with If-Match: *, a domain is updated and never made, and no other value fits', async () => {
  const { name, domain } = await newDomain();
  const put = (name: string, match: string) => {
    const sent = send('PUT', system, { domain }, { 'If-Match': match });
    return answerOf(worker.fetch(`/api/v1/internal/domains/${name}`, sent));
  };
  expect((await put(name, ' * ')).status).toBe(200);
  const missing = `missing${unique()}.ee`;
  expect(await put(missing, '*')).toEqual({
    status: 412,
    body: { errors: { base: [`there is no domain "${missing}"`] } },
  });
  expect((await call('GET', missing)).status).toBe(404);
  for (const value of ['"1"', 'W/"1"', 'anything']) {
    expect((await put(name, value)).status).toBe(412);
  }
});

test('a domain that is not there is 404 to a reader, and gone to who deletes it', async () => {
  const name = `nobody${unique()}.ee`;
  expect((await call('GET', name)).status).toBe(404);
  expect((await call('POST', `${name}/transfer`, { registrar: 'ALPHA' })).status).toBe(404);
  expect(await call('DELETE', name)).toEqual({ status: 204, body: undefined });
  expect(await call('DELETE', `${name}?release=true`)).toEqual({ status: 204, body: undefined });
  expect(await auctionsOf(worker.env, { name })).toEqual([]);
});

test('a deleted domain no longer refers to its contacts, and starts no auction', async () => {
  const { name, holder } = await newDomain();
  expect((await call('DELETE', name)).status).toBe(204);
  const [contact] = await worker.db.select().from(contacts).where(eq(contacts.id, holder.id));
  expect(contact!.domainCount).toBe(0);
  expect(await auctionsOf(worker.env, { name })).toEqual([]);
});

test('a release removes the domain and starts one auction, however often it is repeated', async () => {
  const { name } = await newDomain();
  for (const _ of [1, 2]) expect((await call('DELETE', `${name}?release=true`)).status).toBe(204);
  expect((await call('GET', name)).status).toBe(404);
  const [auction, ...others] = await auctionsOf(worker.env, { name });
  expect([auction!.status, others]).toEqual(['started', []]);
  const [entry] = await changesOf(worker.env, 'auction', { name });
  expect(entry).toMatchObject({ action: 'create', changes: { status: { to: 'started' } } });
  const list = await (await worker.fetch('/api/v1/auctions')).json();
  expect(list).toContainEqual({ id: auction!.uuid, domain: name, status: 'started' });
});

test('a name that cannot be put up for auction is not released, and its domain stays', async () => {
  const { name, shown } = await newDomain();
  await addRetainedDomain(worker.env, { name });
  const errors = { name: [`"${name}" is reserved`] };
  const released = await call('DELETE', `${name}?release=true`);
  expect(released).toEqual({ status: 409, body: { errors, reason: 'reserved' } });
  expect((await call('GET', name)).body).toEqual({ domain: shown });
  expect(await auctionsOf(worker.env, { name })).toEqual([]);
});

test('an auction that somebody starts during a release is the only one', async () => {
  const { name } = await newDomain();
  const names = [parseDomainName(name)];
  const start = () => startAuctions(worker.operation, names, { ignored: ['registered'] });
  const db = beforeBatch(worker.env, 2, start);
  const release = releaseDomain({ db, origin: operator }, parseDomainName(name));
  await expect(release).rejects.toMatchObject({ reason: 'conflict' });
  expect(await auctionsOf(worker.env, { name })).toHaveLength(1);
  expect((await call('GET', name)).status).toBe(200);
});

test('a transfer copies every foreign contact once, and its repetition changes nothing', async () => {
  const { name, holder, tech, domain } = await newDomain();
  const told = {
    ...domain,
    admin_contacts: [holder.code],
    tech_contacts: [tech.code, holder.code],
  };
  await call('PUT', name, { domain: told });
  const to = await addRegistrar(worker.env);
  const registrar = to.code.toLowerCase();
  const { status, body } = await call('POST', `${name}/transfer`, { registrar });
  expect(status).toBe(200);
  expect(body.domain.registrar).toBe(to.code);
  const { registrant, admin_contacts, tech_contacts } = body.domain;
  expect(admin_contacts).toEqual([registrant]);
  expect(tech_contacts).toContain(registrant);
  const copies = await worker.db.select().from(contacts).where(eq(contacts.registrarId, to.id));
  expect(copies.map(({ code }) => code).sort()).toEqual([...tech_contacts].sort());
  expect(copies.map(({ creator }) => creator)).toEqual(Array(2).fill(`System: ${system.name}`));
  expect(await call('POST', `${name}/transfer`, { registrar })).toEqual({ status: 200, body });
});

test('a batch reports each domain by itself, and one refusal stops no other', async () => {
  const { name, domain } = await newDomain();
  const gone = await newDomain();
  const fresh = `domain${unique()}.ee`;
  const { status, body } = await call('POST', 'batch', {
    domains: [
      { name: fresh, ...domain },
      { name: gone.name, deleted: true },
      { name, ...domain, registrant: 'NO:SUCH' },
      { name: 'kohv', ...domain },
      { name: fresh.toUpperCase(), ...domain, admin_contacts: [] },
      { name: `none${unique()}.ee`, deleted: true },
      { ...domain },
      7,
    ],
  });
  const told = { ok: true, errors: {} };
  const refused = (reason: string) => ({ ok: false, reason });
  expect([status, body]).toEqual([
    200,
    {
      results: [
        { name: fresh, ...told },
        { name: gone.name, ...told },
        {
          name,
          ...refused('unknown_contact'),
          errors: { registrant: ['there is no contact "NO:SUCH"'] },
        },
        {
          name: 'kohv',
          ...refused('invalid_name'),
          errors: { name: [expect.stringContaining('no dot')] },
        },
        { name: fresh.toUpperCase(), ...told },
        { name: expect.stringMatching('none'), ...told },
        { name: null, ...refused('invalid'), errors: { name: ['is required'] } },
        { name: null, ...refused('invalid'), errors: { base: ['is not an object'] } },
      ],
    },
  ]);
  expect((await call('GET', fresh)).body.domain.admin_contacts).toEqual([]);
  expect((await call('GET', gone.name)).status).toBe(404);
  expect((await call('GET', name)).body.domain.registrant).toBe(domain.registrant);
});

test('a name that is refused at its later place in a batch is not saved at its earlier one', async () => {
  const { name, domain } = await newDomain();
  const changed = { name, ...domain, tech_contacts: [] };
  const { body } = await call('POST', 'batch', { domains: [changed, { name, registrar: 7 }] });
  expect(body.results.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, false]);
  expect((await call('GET', name)).body.domain).toMatchObject(domain);
});

test.each([
  ['no domains', []],
  ['more than 500', Array.from({ length: 501 }, () => ({}))],
  ['no list', 'x'],
])('a batch of %s is refused', async (_, domains) => {
  const { status, body } = await call('POST', 'batch', { domains });
  expect([status, Object.keys(body.errors)]).toEqual([400, ['domains']]);
});

test('the fields that a batch does not know are named', async () => {
  const { name, domain } = await newDomain();
  const body = { domains: [{ name, ...domain, tech_contact: 'X' }], extra: 1 };
  const path = '/api/v1/internal/domains/batch';
  const response = await worker.fetch(path, send('POST', system, body));
  expect(response.headers.get('Ignored-Fields')).toBe('domains.tech_contact, extra');
});

test('a long list of wrong contacts is refused in one sentence', async () => {
  const { name, domain } = await newDomain();
  const refusalOf = async (contacts: unknown[]) => {
    const { body } = await call('PUT', name, { domain: { ...domain, admin_contacts: contacts } });
    return body.errors.admin_contacts;
  };
  const list = (length: number, code: unknown) => Array.from({ length }, () => code);
  expect(await refusalOf(list(100, 1))).toEqual(['is not the code of a contact']);
  expect(await refusalOf(list(101, 'A:1'))).toEqual(['has more than 100 contacts']);
  expect(await refusalOf(list(30_000, 1))).toEqual(['has more than 100 contacts']);
});
