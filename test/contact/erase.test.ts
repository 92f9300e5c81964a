import { asc, eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { contacts, history, notifications } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { deleteAnyContact } from '../../src/contact/operator/administer.ts';
import {
  grantDisclosure,
  openDisclosure,
} from '../../src/contact/operator/disclosure/disclosure.ts';
import { getDisclosure } from '../../src/contact/operator/disclosure/read.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { findRestored } from '../../src/contact/operator/restored.ts';
import { updateContactOfPerson } from '../../src/contact/update.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { Faults } from '../attack/faults.ts';
import { registrantClient, registrarClient } from '../support/client.ts';
import {
  addContact,
  addDomainOf,
  addPerson,
  addRegistrar,
  newContact,
  operator,
  unique,
} from '../support/fixtures.ts';
import { sharedIdentityService } from '../support/identity-service.ts';
import { beforeBatch } from '../support/meanwhile.ts';
import { shareWorker } from '../support/worker.ts';

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

const erase = (codeOrUuid: string, isDryRun = false, db = worker.db) =>
  eraseContact({ db, origin: operator, isDryRun }, codeOrUuid);

/** A contact that has lived: created by its registrar, changed by both, with copies kept for repeated requests. */
async function addLife() {
  const registrar = await addRegistrar(worker.env);
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const mark = `erased${unique()}x`;
  const contact = newContact({
    name: `${mark} Maasikas`,
    email: `${mark}@example.ee`,
    ident: { ident: person.code, ident_type: 'priv', ident_country_code: 'LV' },
    addr: { street: `${mark} 1` },
  });
  const headers = () => ({ 'Idempotency-Key': crypto.randomUUID() });
  const { body } = await repp.create(registrar, contact, headers());
  const code: string = body.data.contact.id;
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  const { uuid } = row!;
  await repp.update(registrar, code, { org_name: `${mark} OÜ` }, headers());
  await portal.update(person, uuid, { name: `${mark} Tamm` }, headers());
  return { registrar, person, mark, code, uuid };
}

const entriesOf = ({ uuid }: { uuid: string }) =>
  worker.db.select().from(history).where(eq(history.subjectUuid, uuid)).orderBy(asc(history.id));

/** The tables in which a text stands anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const { results } = await worker.env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\' and name not like 'sqlite%'",
  ).all<{ name: string }>();
  const found = await Promise.all(
    results.map(async ({ name }) => {
      const rows = await worker.env.DB.prepare(`select * from "${name}"`).all();
      return JSON.stringify(rows.results).includes(text) ? [name] : [];
    }),
  );
  return found.flat().sort();
}

it('contact erase leaves no link to the identity service', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  await sharedIdentityService();
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const asked = await repp.request(registrar, 'POST', `/verify/${code}`, undefined, headers);
  const { data } = (await asked.json()) as { data: { contact: { link: string } } };
  expect(await tablesWith(data.contact.link)).toEqual(['idempotency_keys']);
  expect((await erase(code)).outcomes).toBe(1);
  expect(await tablesWith(data.contact.link)).toEqual([]);
});

const removed = { removed: true };

it('contact erase leaves none of the values in any table, and who changed which fields when', async () => {
  const life = await addLife();
  expect(await tablesWith(life.mark)).toEqual(['contacts', 'history', 'idempotency_keys']);
  const before = await entriesOf(life);
  const erasure = await erase(life.code);
  expect(erasure).toEqual({
    code: life.code,
    uuid: life.uuid,
    contact: ['name', 'ident', 'email', 'phone', 'street', 'orgName', 'creator', 'updater'],
    history: {
      entries: 3,
      fields: expect.arrayContaining(['name', 'ident', 'email', 'phone', 'street', 'orgName']),
      actors: ['RegistrantUser: Mari Maasikas'],
    },
    outcomes: 1,
    disclosures: 0,
    others: [],
    deletedOthers: [],
  });
  expect(await tablesWith(life.mark)).toEqual([]);
  expect(await tablesWith(life.person.code)).toEqual([]);
  const after = await entriesOf(life);
  const told = ({ changes, ...rest }: (typeof before)[number]) => ({
    ...rest,
    fields: Object.keys(changes),
  });
  expect(after.slice(0, 3).map(told)).toEqual(before.map(told));
  expect(after[0]?.changes).toMatchObject({
    name: removed,
    email: removed,
    identType: { from: null, to: 'priv' },
    authInfo: { redacted: true },
  });
  expect(after[3]).toMatchObject({
    action: 'delete',
    actorType: 'operator',
    actor: 'Operator',
    changes: { name: removed, orgName: removed, identType: { from: 'priv', to: null } },
  });
});

it('contact erase keeps disclosures, and takes out of them whom they are about', async () => {
  const life = await addLife();
  const another = await addLife();
  const asked = {
    ...{ requester: 'Jaan', identifiedBy: 'ID card', organization: 'Police', basis: 'case 12-3' },
    ...{ requestedFields: ['name'], isConfidential: false, receivedAt: operator.request.at },
  };
  const ids: number[] = [];
  for (const { code } of [life, life, another]) {
    ids.push((await openDisclosure(worker.operation, { contact: code, ...asked })).id);
  }
  const [granted, open, others] = ids as [number, number, number];
  await grantDisclosure(worker.operation, granted, {});
  const { disclosure: before } = await getDisclosure(worker.db, others);
  expect(await erase(life.code, true)).toMatchObject({ disclosures: 2 });
  expect(await tablesWith(life.person.code)).toContain('disclosures');
  expect(await erase(life.code)).toMatchObject({ disclosures: 2 });
  expect(await tablesWith(life.person.code)).toEqual([]);
  expect((await getDisclosure(worker.db, granted)).disclosure).toEqual({
    id: granted,
    ...{ ...asked, receivedAt: asked.receivedAt.toISOString() },
    ...{ contactUuid: null, contactCode: null },
    ...{ identCountryCode: null, identKey: null, identType: null },
    ...{ outcome: 'granted', answeredAt: expect.any(String), grantedFields: ['name'] },
    ...{ visibleAfter: null, explanation: null },
  });
  expect((await getDisclosure(worker.db, others)).disclosure).toEqual(before);
  await expect(grantDisclosure(worker.operation, open, {})).rejects.toMatchObject({
    reason: 'gone',
  });
  expect(await erase(life.code, true)).toMatchObject({ disclosures: 0 });
});

it('contact erase reaches a contact that only a disclosure remembers', async () => {
  const identity = { ident: `3800101${unique()}x` };
  const { code, id, uuid } = await addContact(worker.env, await addRegistrar(worker.env), identity);
  await openDisclosure(worker.operation, {
    ...{ contact: code, requester: 'Jaan', identifiedBy: 'ID card', organization: 'Police' },
    ...{ basis: 'law', requestedFields: ['name'], isConfidential: false },
    receivedAt: operator.request.at,
  });
  await worker.db.delete(contacts).where(eq(contacts.id, id));
  for (const name of [code, uuid]) {
    expect(await erase(name, true)).toMatchObject({ code, uuid, disclosures: 1 });
  }
  const erasures = new Map([[uuid, operator.request.at.toISOString()]]);
  expect(await findRestored(worker.db, erasures)).toEqual([{ uuid, code }]);
  await erase(code);
  expect(await findRestored(worker.db, erasures)).toEqual([]);
  expect(await tablesWith(identity.ident.toUpperCase())).toEqual([]);
});

it('contact erase leaves the name of a person who made changes in who made them, says so, and leaves it nowhere else', async () => {
  const mark = `Actor${unique()}x`;
  const person = await addPerson(worker.env, { firstName: mark, lastName: 'Tamm' });
  const identity = { ident: person.code, identCountryCode: person.countryCode };
  const contact = await addContact(worker.env, await addRegistrar(worker.env), identity);
  await portal.update(person, contact.uuid, { name: `${mark} Maasikas` });
  const { history } = await erase(contact.code);
  expect(history.actors).toEqual([`RegistrantUser: ${mark} Tamm`]);
  expect(await tablesWith(mark)).toEqual(['history']);
  const entries = await entriesOf(contact);
  const others = entries.map(({ actor: _, ...others }) => others);
  expect(JSON.stringify(others)).not.toContain(mark);
  expect(entries.map(({ actor }) => actor)).toContain(`RegistrantUser: ${mark} Tamm`);
});

it('contact erase notifies the registrar of the deletion, without a word about the person', async () => {
  const life = await addLife();
  await erase(life.code);
  const told = await worker.db
    .select()
    .from(notifications)
    .where(eq(notifications.subjectKey, life.code))
    .orderBy(asc(notifications.id));
  expect(told.at(-1)).toMatchObject({
    text: `Contact ${life.code} has been deleted by registry`,
    fields: [],
  });
});

it('contact erase has nothing left to do the second time', async () => {
  const life = await addLife();
  await erase(life.code);
  const entries = await entriesOf(life);
  expect(await erase(life.code)).toEqual({
    code: life.code,
    uuid: life.uuid,
    contact: undefined,
    history: { entries: 0, fields: [], actors: ['RegistrantUser: Mari Maasikas'] },
    outcomes: 0,
    disclosures: 0,
    others: [],
    deletedOthers: [],
  });
  expect(await entriesOf(life)).toEqual(entries);
});

it('contact erase reaches a contact that was deleted, and records that it did', async () => {
  const life = await addLife();
  await repp.delete(life.registrar, life.code);
  expect(await erase(life.code)).toMatchObject({ contact: undefined, history: { entries: 4 } });
  expect(await tablesWith(life.mark)).toEqual([]);
  const newest = (await entriesOf(life)).at(-1);
  expect(newest).toMatchObject({ action: 'update', actor: 'Operator' });
  expect(newest?.changes).toMatchObject({ name: removed, email: removed, orgName: removed });
  expect(newest?.changes).not.toHaveProperty('identType');
});

it('contact erase does not guess which of two contacts with one code is meant, and leaves the other whole', async () => {
  const life = await addLife();
  await repp.delete(life.registrar, life.code);
  const successor = await addContact(worker.env, life.registrar, { code: life.code });
  await expect(erase(life.code)).rejects.toThrow(
    `${life.code} has been the code of 2 contacts; name one by its UUID: ${successor.uuid} (exists), ${life.uuid}`,
  );
  await erase(life.uuid);
  expect(await tablesWith(life.mark)).toEqual([]);
  expect(await repp.read(life.registrar, life.code)).toMatchObject({ name: successor.name });
});

it('contact erase names the other contacts of the person, and leaves them', async () => {
  const life = await addLife();
  const beta = await addRegistrar(worker.env);
  const other = await addContact(worker.env, beta, {
    ident: life.person.code,
    identCountryCode: 'LV',
  });
  expect(await erase(life.code)).toMatchObject({ others: [other.code], deletedOthers: [] });
  expect((await portal.read(life.person, other.uuid)).status).toBe(200);
});

it('contact erase names a namesake of the same birthday, however the name or the day is written', async () => {
  const registrar = await addRegistrar(worker.env);
  const born = { identType: 'birthday', ident: '1979-02-03', identCountryCode: 'LV' } as const;
  const add = (values: object) => addContact(worker.env, registrar, { ...born, ...values });
  const { code } = await add({ name: 'Märt O’Brien' });
  const same = [
    await add({ name: "MÄRT O'BRIEN" }),
    await add({ name: 'Mart O’Brien' }),
    await add({ name: 'Ma\u0308rt O’Brien\u200b' }),
    await add({ name: 'Märt O’Brien', ident: '1979.02.03' }),
  ];
  await add({ name: 'Märt O Brien' });
  await add({ name: 'Märt O’Brien', ident: '1979-02-04' });
  await add({ name: 'Märt O’Brien', identCountryCode: 'EE' });
  expect(await erase(code)).toMatchObject({ others: same.map((one) => one.code) });
});

it('contact erase names the copies of a contact without a code, and a renamed one with a birthday', async () => {
  const registrar = await addRegistrar(worker.env);
  for (const identity of [
    { ident: '-', identCountryCode: 'LV', name: 'Mari' },
    { ident: '1979-02-04', identType: 'birthday', identCountryCode: 'LV', name: 'Mari' },
  ]) {
    const first = await addContact(worker.env, registrar, identity);
    const copied = { ...identity, copiedFrom: first.id };
    const copy = await addContact(worker.env, await addRegistrar(worker.env), copied);
    const renamed = await addContact(worker.env, registrar, { ...copied, name: 'Mari Tamm' });
    await addContact(worker.env, registrar, { ...copied, ident: '38001085718' });
    await addContact(worker.env, registrar, { ...identity, name: 'Jaan' });
    const erased = await erase(copy.code);
    expect(erased.others.toSorted()).toEqual([first.code, renamed.code].sort());
  }
});

it('contact erase names the deleted contacts of the person, and the others of one that is deleted', async () => {
  const life = await addLife();
  const identity = { ident: life.person.code, identCountryCode: 'LV' };
  const [other, stays] = [
    await addContact(worker.env, life.registrar, identity),
    await addContact(worker.env, life.registrar, identity),
  ];
  const foreign = await addContact(worker.env, life.registrar, { ident: life.person.code });
  for (const { code } of [other, foreign]) await repp.delete(life.registrar, code);
  const named = { others: [stays.code], deletedOthers: [{ code: other.code, uuid: other.uuid }] };
  expect(await erase(life.code, true)).toMatchObject(named);
  await repp.delete(life.registrar, life.code);
  expect(await erase(life.code)).toMatchObject({ contact: undefined, ...named });
  expect(await erase(other.uuid)).toMatchObject({ others: [stays.code], deletedOthers: [] });
});

it('contact erase says which code a contact has that came back under another one', async () => {
  const registrar = await addRegistrar(worker.env);
  const former = await addContact(worker.env, registrar);
  await repp.delete(registrar, former.code);
  const present = await addContact(worker.env, registrar, { uuid: former.uuid });
  const [byCode, byUuid] = [await erase(former.code, true), await erase(former.uuid)];
  expect(byCode).toMatchObject({ code: present.code, history: { entries: 1 } });
  expect(byUuid).toEqual(byCode);
});

it('contact erase is refused while a domain refers to the contact, and while a status prohibits its deletion', async () => {
  const linked = await addLife();
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, linked.code));
  await addDomainOf(worker.env, row!);
  for (const isDryRun of [true, false]) {
    await expect(erase(linked.code, isDryRun)).rejects.toMatchObject({ reason: 'linked' });
  }
  const registrar = await addRegistrar(worker.env);
  const statuses = ['serverDeleteProhibited' as const];
  const { code } = await addContact(worker.env, registrar, { statuses });
  await expect(erase(code)).rejects.toMatchObject({ reason: 'delete_prohibited' });
  await expect(erase('NOBODY:1')).rejects.toMatchObject({ reason: 'not_found' });
  await expect(erase(crypto.randomUUID())).rejects.toMatchObject({ reason: 'not_found' });
  expect(await tablesWith(linked.mark)).toEqual(['contacts', 'history', 'idempotency_keys']);
});

it('contact erase removes nothing if a domain or a change was faster', async () => {
  // The first batch looks, the second one writes.
  const meanwhile = (work: () => Promise<unknown>) => beforeBatch(worker.env, 2, work);
  const linked = await addLife();
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, linked.code));
  const link = meanwhile(() => addDomainOf(worker.env, row!));
  await expect(erase(linked.code, false, link)).rejects.toMatchObject({ reason: 'linked' });
  expect(await tablesWith(linked.mark)).toEqual(['contacts', 'history', 'idempotency_keys']);

  const changed = await addLife();
  const change = meanwhile(async () => {
    await repp.update(changed.registrar, changed.code, { statuses: [], phone: '+372.5999999' });
    await worker.db
      .update(contacts)
      .set({ statuses: ['clientDeleteProhibited'] })
      .where(eq(contacts.code, changed.code));
  });
  await expect(erase(changed.code, false, change)).rejects.toMatchObject({
    reason: 'delete_prohibited',
  });
  expect(await tablesWith(changed.mark)).toEqual(['contacts', 'history', 'idempotency_keys']);
});

it('contact erase leaves a deleted contact that is not as it was expected', async () => {
  const { code, uuid } = await addLife();
  await deleteAnyContact(worker.operation, code);
  const before = await entriesOf({ uuid });
  const origin = { ...operator, request: { ...operator.request, isExpected: () => false } };
  await expect(eraseContact({ db: worker.db, origin }, uuid)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
  });
  expect(await entriesOf({ uuid })).toEqual(before);
});

it('contact erase reaches a contact that comes back beside it', async () => {
  const { code, uuid } = await addLife();
  const origin = { ...operator };
  await deleteAnyContact({ db: worker.db, origin }, code);
  const plan = await planRevert(worker.operation, origin.request.requestId);
  // Two batches look.
  const db = beforeBatch(worker.env, 3, () =>
    revert({ db: worker.db, origin: { ...operator } }, plan),
  );
  await erase(uuid, false, db);
  expect(await worker.db.$count(contacts, eq(contacts.uuid, uuid))).toBe(0);
});

it('contact erase leaves nothing kept for a request that changes nothing beside it', async () => {
  const life = await addLife();
  const request = {
    at: new Date(),
    requestId: crypto.randomUUID(),
    key: { value: crypto.randomUUID(), requestDigest: 'digest' },
  };
  const db = beforeBatch(worker.env, 2, () => erase(life.code));
  const unchanged = updateContactOfPerson(
    { db, person: life.person, request },
    life.uuid,
    () => ({}),
  );
  await expect(unchanged).rejects.toMatchObject({ reason: 'not_found' });
  expect(await tablesWith(life.mark)).toEqual([]);
});

it('contact erase ends the same whichever call of the database fails, or is done and reported as failed', async () => {
  for (const isDone of [true, false]) {
    for (const call of [0, 1, 2, 3]) {
      const life = await addLife();
      const fault = { message: 'D1_ERROR: Network connection lost.', isDone };
      const faults = new Faults(fault, (n) => n === call);
      const db = openDatabase(faults.wrap(worker.env).DB);
      await erase(life.code, false, db).catch(() => erase(life.code));
      expect(await tablesWith(life.mark)).toEqual([]);
      const actions = (await entriesOf(life)).map(({ action }) => action);
      expect(actions).toEqual(['create', 'update', 'update', 'delete']);
    }
  }
});

it('an erasure takes the references of verifications, and leaves who checked which claim, and when', async () => {
  const registrar = await addRegistrar(worker.env, {}, { username: `kati${unique()}` });
  const { code, uuid } = await addContact(worker.env, registrar);
  const mark = `reference${unique()}x`;
  const check = { method: 'eid', reference: mark };
  for (const claim of ['identity', 'email']) {
    const verification = { claim, ...check };
    await repp.request(registrar, 'POST', `/${code}/verifications`, { verification });
  }
  await repp.update(registrar, code, { email: `jaan${unique()}@example.ee` });
  const { verifications } = (await repp.read(registrar, code)) as {
    verifications: { id: string }[];
  };
  await repp.request(registrar, 'DELETE', `/${code}/verifications/${verifications[0]!.id}`);
  expect(await tablesWith(mark)).toEqual(['contacts', 'history']);
  const who = (entries: Awaited<ReturnType<typeof entriesOf>>) =>
    entries.map(({ actor, occurredAt, changes }) => [actor, occurredAt, Object.keys(changes)]);
  const before = await entriesOf({ uuid });
  await erase(code);
  expect(await tablesWith(mark)).toEqual([]);
  const after = (await entriesOf({ uuid })).slice(0, -1);
  expect(who(after)).toEqual(who(before));
  expect(after.map(({ changes }) => changes)).toEqual([
    { identityVerification: removed },
    { emailVerification: removed },
    { email: removed, emailVerification: removed },
    { identityVerification: removed },
  ]);
});
