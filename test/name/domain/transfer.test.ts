import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contacts, notifications, registrars } from '../../../drizzle/schema.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { findNewestId } from '../../../src/change/history/search.ts';
import {
  changeContactStatuses,
  deleteAnyContact,
  updateAnyContact,
} from '../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { transferContact } from '../../../src/contact/operator/transfer.ts';
import { importDomains } from '../../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../../src/name/domain/operator/name.ts';
import { transferDomains } from '../../../src/name/domain/operator/transfer.ts';
import { updateDomain } from '../../../src/name/domain/operator/update.ts';
import { getDomain } from '../../../src/name/domain/read.ts';
import { removeDomains } from '../../../src/name/domain/save.ts';
import { transferDomain } from '../../../src/name/domain/transfer.ts';
import { withMethods } from '../../list/published.ts';
import {
  addContact,
  addContacts,
  addRegistrar,
  operator,
  unique,
  verification,
} from '../../support/fixtures.ts';
import { aroundBatches, beforeBatch } from '../../support/meanwhile.ts';
import { historyOf } from '../../support/stored.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

/** A domain of one registrar, with two contacts of it, one of a third registrar, and one of the registrar that gets it. */
async function newDomain() {
  const [from, to, other] = [
    await addRegistrar(worker.env),
    await addRegistrar(worker.env),
    await addRegistrar(worker.env),
  ];
  const holder = await addContact(worker.env, from, {
    statuses: ['serverUpdateProhibited'],
    statusNotes: { serverUpdateProhibited: 'court order' },
    phone: 'as it was',
  });
  const admin = await addContact(worker.env, from);
  const foreign = await addContact(worker.env, other);
  const own = await addContact(worker.env, to);
  const name = parseDomainName(`õun${unique()}.ee`);
  const record = {
    ...name,
    registrar: from.code,
    registrant: holder.code,
    admin: [admin.code, holder.code],
    tech: [foreign.code, own.code],
  };
  await importDomains(worker.operation, [record]);
  return { from, to, other, holder, admin, foreign, own, name };
}

async function contactOf(code: string) {
  const [contact] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  return contact!;
}

const countOf = async ({ id }: { id: number }) =>
  (await worker.db.select().from(registrars).where(eq(registrars.id, id)))[0]!.contactCount;

it('replaces the contacts of all other registrars by one copy each, and keeps those of the new one', async () => {
  const { from, to, holder, admin, foreign, own, name } = await newDomain();
  const transferred = await transferDomain(worker.operation, name, to.code);
  const { copies, notified: _, ...domain } = transferred;
  const [holderCopy, adminCopy] = [copies[holder.code]!, copies[admin.code]!];
  expect(Object.keys(copies)).toHaveLength(3);
  expect(domain).toMatchObject({
    registrar: to.code,
    registrant: holderCopy,
    admin: [adminCopy, holderCopy].sort(),
    tech: [copies[foreign.code]!, own.code].sort(),
  });
  expect(await getDomain(worker.db, name.name)).toEqual(domain);

  const copy = await contactOf(holderCopy);
  expect(holderCopy).toMatch(new RegExp(`^${to.code}:[0-9A-F]{8}$`));
  const { name: person, phone, statuses, statusNotes, ident } = holder;
  expect(copy).toMatchObject({ name: person, phone, statuses, statusNotes, ident, domainCount: 2 });
  expect(copy.registrarId).toBe(to.id);
  expect(copy.uuid).not.toBe(holder.uuid);
  expect(copy.authInfo).not.toBe(holder.authInfo);
  expect(await contactOf(holder.code)).toMatchObject({ registrarId: from.id, domainCount: 0 });
  expect(await contactOf(foreign.code)).toMatchObject({ domainCount: 0 });
  expect([await countOf(from), await countOf(to)]).toEqual([2, 4]);
});

it('lets the copy keep what was checked, but not which user of another registrar checked it', async () => {
  const { from, to, holder, name } = await newDomain();
  const secret = `kati${unique()}`;
  const nameVerification = verification({ verified_by: `7-ApiUser: ${secret}`, reference: secret });
  const emailVerification = verification({ ...nameVerification, result: 'ended' });
  await worker.db
    .update(contacts)
    .set({ nameVerification, emailVerification })
    .where(eq(contacts.id, holder.id));
  const { copies } = await transferDomain(worker.operation, name, to.code);
  const copy = await contactOf(copies[holder.code]!);
  expect(copy.nameVerification).toEqual({
    ...nameVerification,
    verified_by: null,
    reference: null,
  });
  expect(copy.emailVerification).toBeNull();
  const entries = await historyOf(worker.env, 'contact', { name: copy.code });
  expect(JSON.stringify([copy, entries])).not.toContain(secret);
  expect(await contactOf(holder.code)).toMatchObject({ nameVerification, registrarId: from.id });
});

it('records the transfer with the new registrar, and notifies it and each owner of a contact', async () => {
  const { from, to, other, holder, name } = await newDomain();
  const command = { ...operator };
  const { copies, notified } = await transferDomain(
    { db: worker.db, origin: command },
    name,
    to.code,
  );
  const copy = await contactOf(copies[holder.code]!);
  const [entry] = (await historyOf(worker.env, 'domain', name)).slice(-1);
  expect(entry).toMatchObject({
    action: 'update',
    registrar: to.code,
    requestId: command.request.requestId,
    changes: {
      registrar: { from: from.code, to: to.code },
      registrant: { from: holder.code, to: copy.code, uuids: { [copy.code]: copy.uuid } },
    },
  });
  const created = await historyOf(worker.env, 'contact', { name: copy.code });
  expect(created).toMatchObject([
    { action: 'create', registrar: to.code, requestId: command.request.requestId },
  ]);
  expect(created[0]!.changes.authInfo).toEqual({ redacted: true });
  expect(notified.sort()).toEqual([from.id, to.id, other.id].sort());
  for (const [{ id }, count] of [[from, 2] as const, [to, 3] as const, [other, 1] as const]) {
    const told = await worker.db
      .select()
      .from(notifications)
      .where(eq(notifications.registrarId, id));
    expect(told).toHaveLength(count);
    expect(told[0]!.text).toContain(`from ${from.code} to ${to.code} by registry`);
  }
});

it('changes nothing in a dry run, or if the registrar has the domain already', async () => {
  const { from, to, name } = await newDomain();
  const before = await findNewestId(worker.db);
  await transferDomain({ ...worker.operation, isDryRun: true }, name, to.code);
  const same = await transferDomain(worker.operation, name, from.code);
  expect(same).toMatchObject({ ...(await getDomain(worker.db, name.name)), copies: {} });
  expect(same.registrar).toBe(from.code);
  expect(await findNewestId(worker.db)).toBe(before);
});

it('refuses an unknown registrar, and a domain that has changed since it was looked at', async () => {
  const { from, to, name } = await newDomain();
  await expect(transferDomain(worker.operation, name, 'NOBODY')).rejects.toThrow('NOBODY');
  const seen = await findNewestId(worker.db);
  await transferDomain(worker.operation, name, to.code);
  const transfer = transferDomain({ ...worker.operation, seen }, name, from.code);
  await expect(transfer).rejects.toMatchObject({
    reason: 'changed_meanwhile',
  });
});

const resetDuring = new Error('D1_ERROR: Network connection lost.');

it('is made once, with the same copies, though D1 reports it as failed', async () => {
  const { from, to, name } = await newDomain();
  let isFirst = true;
  const db = aroundBatches(worker.env, async (send) => {
    const results = await send();
    if (!isFirst) return results;
    isFirst = false;
    throw resetDuring;
  });
  const {
    copies,
    notified: _,
    ...domain
  } = await transferDomain({ db, origin: { ...operator } }, name, to.code);
  expect(await getDomain(worker.db, name.name)).toEqual(domain);
  expect(Object.values(copies)).toHaveLength(3);
  expect([await countOf(from), await countOf(to)]).toEqual([2, 4]);
});

it('looks again if a contact changes meanwhile', async () => {
  const { to, admin, name } = await newDomain();
  const db = beforeBatch(worker.env, 2, () =>
    updateAnyContact(worker.operation, admin.code, { name: 'Uus Nimi' }),
  );
  const { copies } = await transferDomain({ db, origin: operator }, name, to.code);
  expect(await contactOf(copies[admin.code]!)).toMatchObject({ name: 'Uus Nimi' });
});

it('looks again if the domain changes meanwhile', async () => {
  const { to, name } = await newDomain();
  const db = beforeBatch(worker.env, 2, () => updateDomain(worker.operation, name, { tech: [] }));
  await transferDomain({ db, origin: operator }, name, to.code);
  expect(await getDomain(worker.db, name.name)).toMatchObject({ registrar: to.code, tech: [] });
});

/** Domains of one registrar with the same holder. */
async function domainsOfOne(count = 2) {
  const [from, to] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const holder = await addContact(worker.env, from);
  const names = Array.from({ length: count }, () => parseDomainName(`oma${unique()}.ee`));
  const records = names.map((name) => ({
    ...name,
    registrar: from.code,
    registrant: holder.code,
    admin: [],
    tech: [],
  }));
  await importDomains(worker.operation, records);
  const [one, other] = names as [(typeof names)[0], (typeof names)[0]];
  const transfer = async (name: typeof one, db = worker.db) => {
    const { copies } = await transferDomain({ db, origin: { ...operator } }, name, to.code);
    return copies[holder.code]!;
  };
  return { from, to, holder, names, one, other, transfer };
}

it('uses the copy of an earlier transfer again, and notifies both registrars of it', async () => {
  const { from, to, holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  expect(await transfer(other)).toBe(copy);
  expect(await getDomain(worker.db, other.name)).toMatchObject({ registrant: copy });
  expect(await contactOf(copy)).toMatchObject({ domainCount: 2, copiedFrom: holder.id });
  expect([await countOf(from), await countOf(to)]).toEqual([1, 1]);
  const [entry] = (await historyOf(worker.env, 'domain', other)).slice(-1);
  const { uuid } = await contactOf(copy);
  expect(entry!.changes.registrant).toMatchObject({ to: copy, uuids: { [copy]: uuid } });
  const told = await worker.db
    .select()
    .from(notifications)
    .where(eq(notifications.subjectKey, copy));
  expect(told.map(({ text }) => text)).toEqual([
    expect.stringContaining(`${copy} has replaced ${holder.code}, because domain ${one.name}`),
    expect.stringContaining(`${copy} has replaced ${holder.code}, because domain ${other.name}`),
  ]);
});

it.each<[string, (codes: { holder: string; copy: string }) => Promise<unknown>]>([
  [
    'the copy was changed',
    ({ copy }) => updateAnyContact(worker.operation, copy, { city: 'Tartu' }),
  ],
  [
    'the contact was changed',
    ({ holder }) => updateAnyContact(worker.operation, holder, { city: 'Tartu' }),
  ],
  [
    'the copy has another status',
    ({ copy }) =>
      changeContactStatuses(worker.operation, copy, {
        add: ['serverUpdateProhibited'],
        remove: [],
      }),
  ],
  [
    'the copy was checked',
    ({ copy }) =>
      worker.db
        .update(contacts)
        .set({ emailVerification: verification() })
        .where(eq(contacts.code, copy)),
  ],
])('makes another copy if %s', async (_, change) => {
  const { to, holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  await change({ holder: holder.code, copy });
  const second = await transfer(other);
  expect(second).not.toBe(copy);
  expect(await countOf(to)).toBe(2);
  expect(await contactOf(second)).toMatchObject({ copiedFrom: holder.id });
});

it.each(['deleted', 'erased'])('makes another copy if the copy was %s', async (how) => {
  const { to, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  await removeDomains(worker.operation, [one.name]);
  if (how === 'deleted') await deleteAnyContact(worker.operation, copy);
  else await eraseContact(worker.operation, copy);
  expect(await transfer(other)).not.toBe(copy);
  expect(await countOf(to)).toBe(1);
});

it('uses the copy of a contact that was handed over to another registrar', async () => {
  const { to, holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  const { code: registrar } = await addRegistrar(worker.env);
  await removeDomains(worker.operation, [other.name]);
  await transferContact(worker.operation, holder.code, registrar);
  await importDomains(worker.operation, [{ ...other, registrar, registrant: holder.code }]);
  const { copies } = await transferDomain(worker.operation, other, to.code);
  expect(copies).toEqual({ [holder.code]: copy });
});

it('of several at once, notifies of each contact for its own domains alone', async () => {
  const { from, to, one, other } = await domainsOfOne();
  const { code } = await addContact(worker.env, from);
  await updateDomain(worker.operation, other, { registrant: code });
  await transferDomains(worker.operation, [one.name, other.name], to.code);
  const told = await worker.db
    .select({ text: notifications.text })
    .from(notifications)
    .where(eq(notifications.subjectKey, code));
  expect(told).toEqual([{ text: expect.stringContaining(`because domain ${other.name} `) }]);
});

it('has the copy once where it had both the contact and the copy', async () => {
  const { to, holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  await updateDomain(worker.operation, other, { admin: [holder.code, copy] });
  const { admin } = await transferDomain(worker.operation, other, to.code);
  expect(admin).toEqual([copy]);
});

it('uses a copy that was handed over to the registrar', async () => {
  const { one, other, holder, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  const third = await addRegistrar(worker.env);
  await removeDomains(worker.operation, [one.name]);
  await transferContact(worker.operation, copy, third.code);
  const { copies } = await transferDomain(worker.operation, other, third.code);
  expect(copies[holder.code]).toBe(copy);
});

it('makes no third contact there and back, or by way of others', async () => {
  const { from, to, holder, one, transfer } = await domainsOfOne(1);
  const third = await addRegistrar(worker.env);
  const copy = await transfer(one);
  const holderAt = async ({ code }: { code: string }) =>
    (await transferDomain(worker.operation, one, code)).registrant;
  expect(await holderAt(from)).toBe(holder.code);
  expect(await holderAt(third)).not.toBe(holder.code);
  expect(await holderAt(to)).toBe(copy);
  expect(await holderAt(from)).toBe(holder.code);
  expect([await countOf(from), await countOf(to), await countOf(third)]).toEqual([1, 1, 1]);
});

it('uses the first contact again although its registrar checked it, and not one that was changed', async () => {
  const { from, to, holder, one, transfer } = await domainsOfOne(1);
  const checked = { emailVerification: verification({ reference: 'X-1' }) };
  await worker.db.update(contacts).set(checked).where(eq(contacts.id, holder.id));
  await transfer(one);
  expect((await transferDomain(worker.operation, one, from.code)).registrant).toBe(holder.code);
  await transfer(one);
  await updateAnyContact(worker.operation, holder.code, { city: 'Tartu' });
  const { registrant } = await transferDomain(worker.operation, one, from.code);
  expect(registrant).not.toBe(holder.code);
  expect(await contactOf(registrant!)).toMatchObject({ copiedFrom: holder.id });
  expect([await countOf(from), await countOf(to)]).toEqual([2, 1]);
});

it('puts one contact in the place of a contact and of its copy', async () => {
  const { to, holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  await updateDomain(worker.operation, other, { admin: [holder.code, copy] });
  await transfer(other);
  expect(await getDomain(worker.db, other.name)).toMatchObject({
    registrar: to.code,
    registrant: copy,
    admin: [copy],
  });
});

it('makes one copy for two transfers at once', async () => {
  const { to, one, other, transfer } = await domainsOfOne();
  let copy = '';
  const db = beforeBatch(worker.env, 2, async () => {
    copy = await transfer(one);
  });
  expect(await transfer(other, db)).toBe(copy);
  expect(await countOf(to)).toBe(1);
});

it('looks again if the copy to be used is changed meanwhile', async () => {
  const { one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  const db = beforeBatch(worker.env, 2, async () => {
    await updateAnyContact(worker.operation, copy, { city: 'Tartu' });
  });
  expect(await transfer(other, db)).not.toBe(copy);
});

it('makes no two equal copies, and gives the domain none that differs from the contact, whatever is changed', async () => {
  const step = fc.constantFrom('transfer', 'transfer', 'change copy', 'change contact');
  const run = async (steps: readonly string[]) => {
    const { to, holder, names, transfer } = await domainsOfOne(steps.length);
    let copy = holder.code;
    for (const [index, each] of steps.entries()) {
      if (each === 'transfer') {
        copy = await transfer(names[index]!);
        const { city } = await contactOf(holder.code);
        expect(await contactOf(copy)).toMatchObject({ city, copiedFrom: holder.id });
      } else {
        const changed = each === 'change copy' ? copy : holder.code;
        await updateAnyContact(worker.operation, changed, { city: `Linn ${index}` });
      }
    }
    const made = await worker.db.select().from(contacts).where(eq(contacts.registrarId, to.id));
    expect(new Set(made.map(({ city }) => city)).size).toBe(made.length);
  };
  const steps = fc.array(step, { minLength: 2, maxLength: 8 });
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: 8 });
});

it('leaves no trace of an erased contact in its copy', async () => {
  const { holder, one, other, transfer } = await domainsOfOne();
  const copy = await transfer(one);
  await transfer(other);
  await eraseContact(worker.operation, holder.code);
  expect(JSON.stringify(await contactOf(copy))).not.toContain(holder.uuid);
});

/** The database, and the length of the longest value that was bound. */
function watchedDatabase() {
  const { DB } = worker.env;
  const seen = { longest: 0 };
  const prepare = (query: string) => {
    const statement = DB.prepare(query);
    const bind = (...values: unknown[]) => {
      const lengths = values.map((value) => Buffer.byteLength(String(value)));
      seen.longest = Math.max(seen.longest, ...lengths);
      return statement.bind(...values);
    };
    return withMethods(statement, { bind });
  };
  return { db: openDatabase(withMethods(DB, { prepare })), seen };
}

it('copies a thousand contacts with long names without a value that is too long for D1', async () => {
  const { to, other, name } = await newDomain();
  await addContacts(worker.env, other, 1_000);
  await worker.env.DB.batch([
    worker.env.DB.prepare(
      'update contacts set name = ?1, org_name = ?1, street = ?1 where registrar_id = ?2',
    ).bind('Õ'.repeat(255), other.id),
    worker.env.DB.prepare(
      `insert or ignore into domain_contacts (domain_id, contact_id, role)
       select domains.id, contacts.id, 'tech' from domains, contacts
       where domains.name = ?1 and contacts.registrar_id = ?2`,
    ).bind(name.name, other.id),
  ]);
  const { db, seen } = watchedDatabase();
  const { tech } = await transferDomain({ db, origin: operator }, name, to.code);
  expect(tech).toHaveLength(1_002);
  expect(await countOf(to)).toBe(1_004);
  expect(seen.longest).toBeLessThan(2_000_000);
});
