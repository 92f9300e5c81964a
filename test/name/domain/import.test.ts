import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { contacts, domainContacts, domains, registrars } from '../../../drizzle/schema.ts';
import { changesRepresentation } from '../../../src/change/history/changes.ts';
import { findDomainProblems, importDomains } from '../../../src/name/domain/operator/import.ts';
import { addContact, addRegistrar, unique } from '../../support/fixtures.ts';
import { changesOf } from '../../support/stored.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

/** A record with three contacts of a registrar of its own. */
async function newRecord() {
  const registrar = await addRegistrar(worker.env);
  const [registrant, admin, tech] = await Promise.all(
    [1, 2, 3].map(() => addContact(worker.env, registrar)),
  );
  const name = `domain${unique()}.ee`;
  return {
    name,
    punycode: name,
    registrar: registrar.code,
    registrant: registrant!.code,
    admin: [admin!.code],
    tech: [tech!.code],
  };
}

function contactsOf(name: string) {
  return worker.db
    .select({ role: domainContacts.role, code: contacts.code })
    .from(domainContacts)
    .innerJoin(domains, eq(domains.id, domainContacts.domainId))
    .innerJoin(contacts, eq(contacts.id, domainContacts.contactId))
    .where(eq(domains.name, name))
    .orderBy(asc(domainContacts.role), asc(contacts.code));
}

async function shownOf(record: { name: string }) {
  const entries = await changesOf(worker.env, 'domain', record);
  return entries.map(({ action, changes }) => ({
    action,
    changes: changesRepresentation(changes),
  }));
}

async function domainCount(code: string) {
  const [contact] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  return contact!.domainCount;
}

describe('importDomains', () => {
  it('folds only the ASCII letters of a contact code', async () => {
    const record = await newRecord();
    const [{ id } = { id: 0 }] = await worker.db
      .select()
      .from(registrars)
      .where(eq(registrars.code, record.registrar));
    await addContact(
      worker.env,
      { id, code: record.registrar },
      { code: `${record.registrar}:SS` },
    );

    const problems = await findDomainProblems(worker.operation, [
      { ...record, registrant: `${record.registrar}:ß` },
    ]);

    expect(problems).toMatchObject([{ reason: 'not_found', field: 'registrant' }]);
  });

  it('adds a domain with its contacts and its history, and links them', async () => {
    const record = await newRecord();
    expect(await importDomains(worker.operation, [record])).toEqual({
      created: 1,
      updated: 0,
      unchanged: 0,
      adminCleared: 0,
      techCleared: 0,
      foreign: 0,
      obstacles: [],
    });
    expect(await contactsOf(record.name)).toEqual([
      { role: 'admin', code: record.admin[0] },
      { role: 'registrant', code: record.registrant },
      { role: 'tech', code: record.tech[0] },
    ]);
    expect(await domainCount(record.registrant)).toBe(1);
    expect(await shownOf(record)).toEqual([
      {
        action: 'create',
        changes: {
          registrar: { from: null, to: record.registrar },
          registrant: { from: null, to: record.registrant },
          admin: { from: null, to: record.admin },
          tech: { from: null, to: record.tech },
        },
      },
    ]);
  });

  it('finds nothing to do the second time, codes in lower case and repeated included', async () => {
    const record = await newRecord();
    await importDomains(worker.operation, [record]);
    const again = {
      ...record,
      registrant: record.registrant.toLowerCase(),
      admin: [...record.admin, ...record.admin],
    };
    expect(await importDomains(worker.operation, [again])).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      adminCleared: 0,
      techCleared: 0,
      foreign: 0,
      obstacles: [],
    });
    expect(await changesOf(worker.env, 'domain', record)).toHaveLength(1);
    expect(await domainCount(record.registrant)).toBe(1);
  });

  it("makes an existing domain's registrar and contacts equal to the record", async () => {
    const [record, other] = [await newRecord(), await newRecord()];
    await importDomains(worker.operation, [record]);
    const changed = {
      ...record,
      registrar: other.registrar,
      registrant: other.registrant,
      admin: [],
      tech: [record.registrant, record.tech[0]!].sort(),
    };
    expect(await importDomains(worker.operation, [changed])).toEqual({
      created: 0,
      updated: 1,
      unchanged: 0,
      adminCleared: 1,
      techCleared: 0,
      foreign: 1,
      obstacles: [],
    });
    expect(await contactsOf(record.name)).toEqual([
      { role: 'registrant', code: other.registrant },
      ...changed.tech.map((code) => ({ role: 'tech', code })),
    ]);
    expect(await domainCount(record.admin[0]!)).toBe(0);
    expect((await shownOf(record))[1]).toEqual({
      action: 'update',
      changes: {
        registrar: { from: record.registrar, to: other.registrar },
        registrant: { from: record.registrant, to: other.registrant },
        admin: { from: record.admin, to: [] },
        tech: { from: record.tech, to: changed.tech },
      },
    });
  });

  it('leaves the contacts of other domains alone', async () => {
    const record = await newRecord();
    const name = `domain${unique()}.ee`;
    const sibling = { ...record, name, punycode: name };
    await importDomains(worker.operation, [record, sibling]);
    await importDomains(worker.operation, [{ ...record, admin: [], tech: [] }]);
    expect(await contactsOf(sibling.name)).toHaveLength(3);
  });

  it('names every unknown registrar and contact, and changes nothing', async () => {
    const [good, bad] = [await newRecord(), await newRecord()];
    const records = [good, { ...bad, registrar: 'NOBODY', tech: ['NOBODY:1'] }];
    await expect(importDomains(worker.operation, records)).rejects.toMatchObject({
      reason: 'not_found',
      problems: [
        { message: 'there is no registrar "NOBODY"', field: 'registrar' },
        { message: 'there is no contact "NOBODY:1"', field: 'tech' },
      ],
    });
    expect(await contactsOf(good.name)).toEqual([]);
    const problems = await findDomainProblems(worker.operation, records);
    expect(problems.map(({ record }) => record.name)).toEqual([bad.name, bad.name]);
  });

  it('takes 5,000 domains in one batch', async () => {
    const record = await newRecord();
    const records = Array.from({ length: 5_000 }, () => {
      const name = `domain${unique()}.ee`;
      return { ...record, name, punycode: name };
    });
    expect(await importDomains(worker.operation, records)).toMatchObject({ created: 5_000 });
    expect(await domainCount(record.registrant)).toBe(5_000);
  });
});
