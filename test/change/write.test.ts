import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getTableName, is, sql } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { beforeAll, describe, expect, it, test } from 'vitest';
import * as schema from '../../drizzle/schema.ts';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import type { Origin } from '../../src/change/origin.ts';
import { createContact } from '../../src/contact/create.ts';
import { deleteContact, deleteOrphans } from '../../src/contact/delete.ts';
import {
  changeContactStatuses,
  deleteAnyContact,
  updateAnyContact,
} from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { updateContact, updateContactOfPerson } from '../../src/contact/update.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { registerAuction } from '../../src/name/auction/operator/correct.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { removeDomains } from '../../src/name/domain/save.ts';
import { removeRetainedDomains } from '../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { closeDispute, openDispute } from '../../src/name/retained/operator/dispute.ts';
import { importDisputes } from '../../src/name/retained/operator/import-disputes.ts';
import { replaceRetainedDomains } from '../../src/name/retained/operator/replace.ts';
import { rotateHolder, setHolderDisabled } from '../../src/party/credential/operator/holder.ts';
import {
  addRegistrar as addAccount,
  updateRegistrar,
} from '../../src/party/registrar/operator/account.ts';
import { addApiUser } from '../../src/party/registrar/operator/api-user.ts';
import { addAuction, addContact, addRegistrar } from '../support/fixtures.ts';
import { inAnotherIsolate } from '../support/meanwhile.ts';
import { startWorker } from '../support/worker.ts';

// In a runtime that files share, a webhook of another file may still be on its way.
const worker = startWorker();

beforeAll(async () => {
  await worker.env.DB.prepare('create table unrelated (id integer primary key)').run();
});

/** The database, where this statement stands before, between and after those of every batch. */
function interposing(query: string): Pick<D1Database, 'prepare' | 'batch'> {
  const { DB } = worker.env;
  return {
    prepare: (text) => DB.prepare(text),
    async batch<Row>(statements: D1PreparedStatement[]) {
      const put = statements.flatMap((statement) => [DB.prepare(query), statement]);
      const results = await DB.batch<Row>([...put, DB.prepare(query)]);
      return results.filter((_, index) => index % 2 === 1);
    },
  };
}

/** The same, where somebody else writes between a write's first look and its batch. */
function racing(
  binding: Pick<D1Database, 'prepare' | 'batch'>,
  somebodyElse: () => Promise<unknown>,
): Database {
  let batches = 0;
  return openDatabase({
    prepare: (text) => binding.prepare(text),
    async batch<Row>(statements: D1PreparedStatement[]) {
      batches += 1;
      if (batches === 2) await inAnotherIsolate(somebodyElse);
      return binding.batch<Row>(statements);
    },
  });
}

const at = new Date('2026-05-06T07:08:09.010Z');

/** A request of its own, with an idempotency key. */
function newRequest(tag: string) {
  return { at, requestId: crypto.randomUUID(), key: { value: tag, requestDigest: 'digest' } };
}

function operator(): Origin {
  const actor = { type: 'operator', name: 'Operator' } as const;
  return { actor, request: { at, requestId: crypto.randomUUID() } };
}

const rules = { name: 'Mari', email: 'mari@example.ee', phone: '+372.5123456' };
const identity = { ident: '38001085718', identType: 'priv', identCountryCode: 'EE' } as const;
const person = { countryCode: 'EE', firstName: 'Mari', lastName: 'Maasikas' };

/** A registrar with a webhook and two contacts of one person. */
async function newWorld(tag: string) {
  const { env, db } = worker;
  const registrar = await addRegistrar(env, { code: tag, name: tag }, { username: tag });
  const webhook = { url: 'https://example.ee/', secret: 'whsec_AAAA', createdAt: at.toISOString() };
  await db.insert(schema.webhooks).values({ registrarId: registrar.id, ...webhook });
  const ident = `P${tag}`;
  const add = (suffix: string) =>
    addContact(env, registrar, { ...rules, ident, code: `${tag}:${suffix}` });
  const contact = await add('1');
  const other = await add('2');
  return { registrar, contact, other, person: { ...person, code: ident } };
}

function named(tag: string, ...labels: string[]) {
  return labels.map((label) => {
    const name = `${label}-${tag.toLowerCase()}.ee`;
    return { name, punycode: name };
  });
}

type World = Awaited<ReturnType<typeof newWorld>>;

const updateOf =
  ({ login }: World['registrar'], { code }: World['contact']) =>
  (db: Database, changes: object, tag: string) =>
    updateContact({ db, login, request: newRequest(tag) }, code, () => changes);

/** The kinds of write: each prepares rows of its own, all with the tag in them, and writes to the database that it is given. */
const writes: Record<
  string,
  (tag: string, binding: Pick<D1Database, 'prepare' | 'batch'>) => Promise<unknown>
> = {
  async 'creates a contact'(tag, binding) {
    const { registrar } = await newWorld(tag);
    const contact = { ...rules, ...identity, code: 'new' };
    await createContact(
      { db: openDatabase(binding), login: registrar.login, request: newRequest(tag) },
      contact,
    );
  },
  async 'updates a contact that somebody else changes meanwhile'(tag, binding) {
    const { registrar, contact } = await newWorld(tag);
    const update = updateOf(registrar, contact);
    const db = racing(binding, () => update(worker.db, { zip: '51003' }, `${tag}2`));
    await update(db, { city: 'Tartu' }, tag);
  },
  async 'updates a contact for its person, while somebody else changes it'(tag, binding) {
    const { contact, person: ofContact } = await newWorld(tag);
    const update = (db: Database, changes: object, key: string) =>
      updateContactOfPerson(
        { db, person: ofContact, request: newRequest(key) },
        contact.uuid,
        () => changes,
      );
    const db = racing(binding, () => update(worker.db, { zip: '51003' }, `${tag}2`));
    await update(db, { city: 'Tartu' }, tag);
  },
  async 'deletes a contact'(tag, binding) {
    const { registrar, contact } = await newWorld(tag);
    await deleteContact(
      { db: openDatabase(binding), login: registrar.login, request: newRequest(tag) },
      contact.code,
    );
  },
  async 'updates a contact for the operator'(tag, binding) {
    const { contact } = await newWorld(tag);
    await updateAnyContact({ db: openDatabase(binding), origin: operator() }, contact.code, {
      city: 'Tartu',
    });
  },
  async 'deletes a contact for the operator'(tag, binding) {
    const { contact } = await newWorld(tag);
    await deleteAnyContact({ db: openDatabase(binding), origin: operator() }, contact.code);
  },
  async 'sets a status of a contact'(tag, binding) {
    const { contact } = await newWorld(tag);
    const statuses = { add: ['serverUpdateProhibited' as const], remove: [], note: 'why' };
    await changeContactStatuses(
      { db: openDatabase(binding), origin: operator() },
      contact.code,
      statuses,
    );
  },
  async 'erases a contact, and what is left of one that was deleted'(tag, binding) {
    const { registrar, contact, other, person: ofContact } = await newWorld(tag);
    const keep = newRequest(tag);
    await updateContactOfPerson(
      { db: worker.db, person: ofContact, request: keep },
      contact.uuid,
      () => ({ city: 'Tartu' }),
    );
    await deleteContact(
      { db: worker.db, login: registrar.login, request: newRequest(`${tag}2`) },
      other.code,
    );
    await eraseContact({ db: openDatabase(binding), origin: operator() }, contact.code);
    await eraseContact({ db: openDatabase(binding), origin: operator() }, other.code);
  },
  async 'deletes contacts to which no domain refers'(tag, binding) {
    await newWorld(tag);
    const request = { at, requestId: crypto.randomUUID() };
    await worker.db.delete(schema.sweeps);
    await deleteOrphans(openDatabase(binding), at.toISOString(), request);
  },
  async 'imports contacts'(tag, binding) {
    await newWorld(tag);
    const records = ['3', '4'].map((suffix) => ({
      ...{ ...rules, ...identity },
      ...{ registrar: tag, code: `${tag}:${suffix}` },
    }));
    await importContacts({ db: openDatabase(binding), origin: operator() }, records);
  },
  async 'imports and removes domains'(tag, binding) {
    const { contact, other } = await newWorld(tag);
    const db = openDatabase(binding);
    const parties = { registrar: tag, registrant: contact.code, admin: [other.code], tech: [] };
    const [first, second, third] = named(tag, 'a', 'b', 'c').map((name) => ({
      ...name,
      ...parties,
    }));
    await importDomains({ db, origin: operator() }, [first!, second!]);
    await importDomains({ db, origin: operator() }, [{ ...first!, admin: [] }, second!, third!]);
    await removeDomains({ db, origin: operator() }, [second!.name, 'unknown.ee']);
  },
  async 'starts, imports and cancels auctions'(tag, binding) {
    const db = openDatabase(binding);
    const [first, second, third] = named(tag, 'a', 'b', 'c');
    await startAuctions({ db, origin: operator() }, [first!, second!]);
    await startAuctions({ db, origin: operator() }, [second!, third!], { ignored: ['in_auction'] });
    await cancelAuction({ db, origin: operator() }, { auction: first!.name, reason: 'why' });
  },
  async 'takes a report, which starts the next auction, and one that does not'(tag, binding) {
    const db = openDatabase(binding);
    const [free, taken] = named(tag, 'free', 'taken');
    const status = 'payment_not_received';
    for (const { name } of [free!, taken!]) {
      const { uuid } = await addAuction(worker.env, { name, status: 'awaiting_payment' });
      if (name === taken!.name) await addAuction(worker.env, { name });
      await updateAuction({ db, origin: operator() }, uuid, { status }, [status]);
    }
  },
  async 'ends an auction with a registration'(tag, binding) {
    const [{ name } = { name: '' }] = named(tag, 'a');
    const { uuid } = await addAuction(worker.env, { name, status: 'awaiting_payment' });
    const db = openDatabase(binding);
    const paid = { status: 'payment_received' } as const;
    const { registrationCode } = await updateAuction({ db, origin: operator() }, uuid, paid, []);
    await registerAuction({ db, origin: operator() }, uuid, registrationCode!);
  },
  async 'adds, updates and silences a registrar'(tag, binding) {
    const db = openDatabase(binding);
    await addAccount({ db, origin: operator() }, { code: tag, name: tag, allowedIps: [] });
    const webhookUrl = 'https://example.ee/';
    await updateRegistrar({ db, origin: operator() }, tag, {
      webhookUrl,
      allowedIps: ['192.0.2.1'],
    });
    await updateRegistrar({ db, origin: operator() }, tag, { webhookUrl: `${webhookUrl}2` });
    await updateRegistrar({ db, origin: operator() }, tag, { webhookUrl: null });
  },
  async 'adds, rotates and disables an API user'(tag, binding) {
    const { registrar } = await newWorld(tag);
    const db = openDatabase(binding);
    const username = `${tag}-2`;
    await addApiUser({ db, origin: operator() }, { username, registrarCode: registrar.code });
    const user = { type: 'api_user', key: username } as const;
    await rotateHolder({ db, origin: operator() }, user, { atOnce: true });
    await setHolderDisabled({ db, origin: operator() }, user, true);
  },
  async 'opens, imports and closes disputes'(tag, binding) {
    const db = openDatabase(binding);
    const [first, second, third] = named(tag, 'a', 'b', 'c').map((name) => ({
      ...name,
      ...{ firstDay: '2026-05-01', lastDay: '2026-06-01' },
    }));
    await openDispute({ db, origin: operator() }, first!);
    await importDisputes({ db, origin: operator() }, [
      first!,
      second!,
      { ...third!, firstDay: '2026-05-06' },
    ]);
    await closeDispute({ db, origin: operator() }, { ...first!, reason: 'settled' });
    await closeDispute({ db, origin: operator() }, { ...third!, reason: 'settled' });
  },
  async 'adds, removes and replaces retained names'(tag, binding) {
    const db = openDatabase(binding);
    const [first, second, third] = named(tag, 'a', 'b', 'c').map((name) => ({
      ...name,
      status: 'reserved' as const,
    }));
    await addRetainedDomains({ db, origin: operator() }, [first!, second!, second!]);
    await removeRetainedDomains({ db, origin: operator() }, [first!, third!]);
    await replaceRetainedDomains({ db, origin: operator() }, ['reserved'], [first!, third!]);
  },
};

const tables = Object.values(schema).filter((value) => is(value, SQLiteTable)) as SQLiteTable[];
/** Written by triggers, with a random version, ids of all names, or blocks that begin at any id. */
const derived = ['list_sources', 'auction_changes', 'retained_changes', 'contact_blocks'];

/** Every row that names the tag, or refers to a registrar that does, without what differs from one tag to the next. */
async function rowsOf(tag: string): Promise<Record<string, string[]>> {
  const [registrar] = await worker.db
    .select({ id: schema.registrars.id })
    .from(schema.registrars)
    .where(sql`code = ${tag}`);
  const found: Record<string, string[]> = {};
  let notified: unknown[] = [];
  const [first, ...others] = tables.map((table) => worker.db.select().from(table));
  const rowsOfTables = await worker.db.batch([first!, ...others]);
  for (const [index, table] of tables.entries()) {
    const rows = rowsOfTables[index] as Record<string, unknown>[];
    // In the order of the schema: notifications come before what is delivered of them.
    const own = rows.filter(
      (row) =>
        JSON.stringify(row).toUpperCase().includes(tag) ||
        (registrar && row.registrarId === registrar.id),
    );
    if (table === schema.notifications) notified = own.map(({ id }) => id);
    if (own.length === 0 || derived.includes(getTableName(table))) continue;
    found[getTableName(table)] = own.map((row) =>
      JSON.stringify(row, (key, value) => {
        if (key === 'notificationId') return notified.includes(value);
        return /^(id|number|.*Id)$/.test(key) ? typeof value : value;
      })
        .replace(new RegExp(tag, 'gi'), 'TAG')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
        .replace(/[0-9a-f]{22,64}|whsec_[A-Za-z0-9+/=]+/g, 'RANDOM')
        .replace(/\b[0-9a-f]{8}(?=-\d)/g, 'RANDOM')
        .replace(/\b\d+-ApiUser|registrar:\d+|(?<=(id|number|registrarId)\\":)\d+/g, 'OWN')
        .replace(/"(updatedAt|createdAt|unlinkedAt)":"[^"]*"/g, '"$1":"AT"'),
    );
  }
  return found;
}

let sequence = 0;
function newTag(): string {
  sequence += 1;
  return `TAG${sequence}X`;
}

describe.each(Object.entries(writes))('a write that %s', (_, run) => {
  it('records the same with unrelated statements between its own', async () => {
    const alone = newTag();
    await run(alone, worker.env.DB);
    const expected = await rowsOf(alone);
    expect(expected.history?.length).toBeGreaterThan(0);
    const unrelated = ['delete from unrelated where 0', 'insert into unrelated default values'];
    for (const query of unrelated) {
      const tag = newTag();
      await run(tag, interposing(query));
      expect(await rowsOf(tag), query).toEqual(expected);
    }
  });
});

test('history is inserted in one place, and nothing counts what the statement before has changed', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }));
  const found = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(
    found(/(insert|insertRows)\((db, )?history\b|insert into (history\b|\$\{history\})/i),
  ).toEqual(['change/history/record.ts']);
  // The database over a file answers like D1, which counts them.
  expect(found(/\b(changes|last_insert_rowid)\(\)/)).toEqual(['tool/local/file.ts']);
});
