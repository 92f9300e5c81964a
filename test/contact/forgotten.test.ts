import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { contacts, webhooks } from '../../drizzle/schema.ts';
import type { Origin } from '../../src/change/origin.ts';
import { deleteOrphans } from '../../src/contact/delete.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { removeOldValues } from '../../src/contact/recorded-values.ts';
import { contactKind } from '../../src/tool/move-in/kinds/contacts.ts';
import type { Form } from '../../src/tool/move-in/kinds/kind.ts';
import { addForms } from '../../src/tool/move-in/kinds/rows.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { registrantClient, registrarClient } from '../support/client.ts';
import { addContact, addPerson, addRegistrar, newContact, unique } from '../support/fixtures.ts';
import { deleteOldEntries } from '../support/following.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);

/** A command of the operator's. */
function command(at = '2026-05-06T07:08:09.010Z', type: 'operator' | 'move_in' = 'operator') {
  const actor = { type, name: 'Operator' } as const;
  return { actor, request: { at: new Date(at), requestId: crypto.randomUUID() } };
}

async function takeBack({ request }: Origin): Promise<void> {
  const origin = command();
  await revert(
    { db: worker.db, origin },
    await planRevert({ db: worker.db, origin }, request.requestId),
  );
}

/** A person whose values nobody else has, and two registrars that are told of changes. */
async function addSomebody() {
  const mark = `erased${unique()}x`;
  const person = await addPerson(worker.env, { countryCode: 'LV' });
  const registrars = [await addRegistrar(worker.env), await addRegistrar(worker.env)] as const;
  for (const { id } of registrars) {
    const webhook = { registrarId: id, url: 'https://hooks.example/', secret: 'whsec_dGVzdA==' };
    await worker.db.insert(webhooks).values({ ...webhook, createdAt: '2026-01-01T00:00:00.000Z' });
  }
  const values = {
    name: `${mark} Maasikas`,
    email: `${mark}@example.ee`,
    phone: `+372.${5_000_000 + unique()}`,
    street: `${mark} 1`,
    ident: person.code,
    orgName: `${mark} OÜ`,
    legacyId: `${mark}-7`,
    creator: `77-RegistrantUser: ${mark} Tamm`,
    updater: `RegistrantUser: ${mark} Kask`,
  };
  return { mark, person, alpha: registrars[0], beta: registrars[1], values };
}
type Somebody = Awaited<ReturnType<typeof addSomebody>>;

/** The contact as its registrar creates it. */
async function createContact({ alpha, values }: Somebody) {
  const { name, email, phone, street, orgName, ident } = values;
  const identity = { ident, ident_type: 'priv', ident_country_code: 'LV' };
  const given = { name, email, phone, org_name: orgName, addr: { street }, ident: identity };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const { body } = await repp.create(alpha, newContact(given), headers);
  const code: string = body.data.contact.id;
  const [row] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
  return row!;
}

async function importContact({ alpha, values }: Somebody, uuid: string, origin = command()) {
  const code = `${alpha.code}:I${unique()}`;
  const identity = { identType: 'priv', identCountryCode: 'LV' } as const;
  await importContacts({ db: worker.db, origin }, [
    { registrar: alpha.code, code, uuid, ...values, ...identity },
  ]);
  return code;
}

/** The form in which the contact moves in. */
function movingForm({ alpha, values }: Somebody, uuid: string, overrides: Form = {}): Form {
  const { orgName, legacyId, creator, updater, ...others } = values;
  const none = Object.fromEntries(Object.keys(contactKind.columns).map((name) => [name, null]));
  return {
    ...none,
    ...others,
    org_name: orgName,
    legacy_id: legacyId,
    creator_str: creator,
    updator_str: updater,
    uuid,
    id: `9${unique()}`,
    registrar: alpha.code,
    code: `${alpha.code}:M${unique()}`,
    ident_type: 'priv',
    ident_country_code: 'LV',
    auth_info: 'e2c440eba6055c2f844a88',
    statuses: '[]',
    status_notes: '{}',
    disclosed_attributes: '[]',
    created_at: '2020-01-01T00:00:00.000Z',
    updated_at: '2020-01-01T00:00:00.000Z',
    ...overrides,
  };
}

function moveIn(...forms: Form[]): Promise<void> {
  const rows = forms.map((form) => ({ form }));
  return addForms({ db: worker.db, origin: command(undefined, 'move_in') }, contactKind, rows);
}

const remove = (form: Form) => deleteAnyContact({ db: worker.db, origin: command() }, form.code!);

/** Each life of a contact leads to the code or the UUID by which it is erased. */
const lives: Record<string, (somebody: Somebody) => Promise<string>> = {
  async 'that its registrar and the person changed'(somebody) {
    const { code, uuid } = await createContact(somebody);
    const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });
    await repp.update(somebody.alpha, code, { name: `${somebody.mark} Kask` }, key());
    await portal.update(somebody.person, uuid, { name: `${somebody.mark} Tamm` }, key());
    return code;
  },
  async 'that was deleted'(somebody) {
    const { code } = await createContact(somebody);
    await repp.delete(somebody.alpha, code);
    return code;
  },
  async 'whose code is another’s now'(somebody) {
    const { code, uuid } = await createContact(somebody);
    await repp.delete(somebody.alpha, code);
    await addContact(worker.env, somebody.alpha, { code });
    return uuid;
  },
  async 'whose deletion was taken back'(somebody) {
    const { code } = await createContact(somebody);
    const deletion = command();
    await deleteAnyContact({ db: worker.db, origin: deletion }, code);
    await takeBack(deletion);
    return code;
  },
  async 'whose correction was taken back'(somebody) {
    const { code } = await createContact(somebody);
    const correction = command();
    const changes = { name: `${somebody.mark} Kask`, ident: `${somebody.person.code}1` };
    await updateAnyContact({ db: worker.db, origin: correction }, code, changes);
    await takeBack(correction);
    return code;
  },
  async 'whose identity was corrected'(somebody) {
    const { code } = await createContact(somebody);
    const identity = { ident: '12345678', identType: 'org', identCountryCode: 'EE' } as const;
    await updateAnyContact({ db: worker.db, origin: command() }, code, {
      name: 'Kuressaare',
      ...identity,
    });
    return code;
  },
  async 'that was imported, deleted, and imported under another code'(somebody) {
    const uuid = crypto.randomUUID();
    const code = await importContact(somebody, uuid);
    await deleteAnyContact({ db: worker.db, origin: command() }, code);
    await importContact(somebody, uuid);
    return code;
  },
  async 'that was deleted because no domain referred to it'(somebody) {
    const { updater: _, ...values } = somebody.values;
    const unlinkedAt = '1990-01-01T00:00:00.000Z';
    const contact = { ...values, identCountryCode: 'LV', unlinkedAt };
    const { code } = await addContact(worker.env, somebody.alpha, contact);
    const deleted = await deleteOrphans(worker.db, '1991-01-01T00:00:00.000Z', command().request);
    expect(deleted).toBe(1);
    return code;
  },
  async 'that moved in'(somebody) {
    const form = movingForm(somebody, crypto.randomUUID());
    await moveIn(form);
    return form.code!;
  },
  async 'that moved in under another code and back'(somebody) {
    const uuid = crypto.randomUUID();
    const [one, other] = [movingForm(somebody, uuid), movingForm(somebody, uuid)];
    await moveIn(one);
    await remove(one);
    await moveIn(other);
    await remove(other);
    await moveIn(one);
    return one.code!;
  },
  async 'that moved in under two codes, and is deleted'(somebody) {
    const uuid = crypto.randomUUID();
    const [former, last] = [movingForm(somebody, uuid), movingForm(somebody, uuid)];
    await moveIn(former);
    await remove(former);
    await moveIn(last);
    await remove(last);
    return former.code!;
  },
  async 'that moved in, and again at another registrar'(somebody) {
    const form = movingForm(somebody, crypto.randomUUID());
    await moveIn(form);
    await remove(form);
    await moveIn({ ...form, id: `9${unique()}`, registrar: somebody.beta.code });
    return form.code!;
  },
  async 'whose first code is no longer on record'(somebody) {
    const uuid = crypto.randomUUID();
    const code = await importContact(somebody, uuid, command('2001-01-01T00:00:00.000Z'));
    await deleteAnyContact({ db: worker.db, origin: command('2001-02-01T00:00:00.000Z') }, code);
    const second = await importContact(somebody, uuid);
    await deleteAnyContact({ db: worker.db, origin: command() }, second);
    await deleteOldEntries(worker.db, '2001-01-15T00:00:00.000Z');
    await importContact(somebody, uuid);
    return second;
  },
  async 'whose old values have been removed'(somebody) {
    const uuid = crypto.randomUUID();
    const code = await importContact(somebody, uuid, command('2001-01-01T00:00:00.000Z'));
    await deleteAnyContact({ db: worker.db, origin: command() }, code);
    await importContact(somebody, uuid);
    await removeOldValues(worker.db, '2002-01-01T00:00:00.000Z');
    return uuid;
  },
};

/** Every value that is stored, in lower case, with its place: a column of a table, the lists' namespace, or the bucket. */
async function readAll(): Promise<[place: string, value: string][]> {
  const { DB, LISTS, ARCHIVE } = worker.env;
  const { results: tables } = await DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>();
  const all = tables.map(({ name }) => DB.prepare(`select * from "${name}"`));
  const values: [place: string, value: unknown][] = [];
  for (const [index, { results: rows }] of (await DB.batch<object>(all)).entries()) {
    const columns = rows.flatMap((row) => Object.entries(row));
    for (const [column, value] of columns) values.push([`${tables[index]!.name}.${column}`, value]);
  }
  for (const { name } of (await LISTS.list()).keys) {
    values.push(['KV', name + (await LISTS.get(name))]);
  }
  for (const { key } of (await ARCHIVE!.list()).objects) {
    values.push(['R2', key + (await (await ARCHIVE!.get(key))!.text())]);
  }
  return values.map(([place, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [place, text.toLowerCase()];
  });
}

/** The places of a text in what is stored. */
function placesOf(text: string, stored: [place: string, value: string][]): string[] {
  const found = stored.filter(([, value]) => value.includes(text.toLowerCase()));
  return [...new Set(found.map(([place]) => place))].sort();
}

test.each(Object.entries(lives))('forgotten is forgotten: a contact %s', async (_, live) => {
  const somebody = await addSomebody();
  const contact = await live(somebody);
  const texts = [somebody.mark, ...Object.values(somebody.values)];
  const { mark, values } = somebody;
  const before = await readAll();
  for (const text of [mark, values.ident, values.phone]) {
    expect(placesOf(text, before)).toContain('history.changes');
  }
  await eraseContact({ db: worker.db, origin: command() }, contact);
  const after = await readAll();
  for (const text of texts) expect([text, placesOf(text, after)]).toEqual([text, []]);
});
