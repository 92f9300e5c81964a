import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { history } from '../../../drizzle/schema.ts';
import { deleteOrphans } from '../../../src/contact/delete.ts';
import { updateAnyContact } from '../../../src/contact/operator/administer.ts';
import { eraseContact } from '../../../src/contact/operator/erase.ts';
import { importContacts } from '../../../src/contact/operator/import.ts';
import { importDomains } from '../../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../../src/name/domain/operator/name.ts';
import { updateDomain } from '../../../src/name/domain/operator/update.ts';
import { removeDomains } from '../../../src/name/domain/save.ts';
import { domainKind } from '../../../src/tool/move-in/kinds/kinds.ts';
import { addForms } from '../../../src/tool/move-in/kinds/rows.ts';
import { historyData } from '../../../src/view/history.ts';
import { historyEntry } from '../../../src/worker/http/request/answer.ts';
import { registrantClient, registrarClient } from '../../support/client.ts';
import {
  addContact,
  addPerson,
  addRegistrar,
  contactValues,
  newContact,
  operator,
  unique,
} from '../../support/fixtures.ts';
import { shareWorker } from '../../support/worker.ts';

/** Every change of a contact or a domain is recorded with its registrar, and a domain's with its contacts. */

const worker = shareWorker();
const repp = registrarClient(worker);
const portal = registrantClient(worker);
let alpha: Awaited<ReturnType<typeof addRegistrar>>;
beforeEach(async () => {
  alpha = await addRegistrar(worker.env);
});

async function recordedOf(key: string) {
  const entries = await worker.db.select().from(history).where(eq(history.subjectKey, key));
  return entries.map(({ action, registrar }) => `${action} ${registrar === alpha.code}`);
}

test('what a registrar does to its contact', async () => {
  const code = `${alpha.code}:TAMM`;
  await repp.create(alpha, newContact({ id: code }));
  await repp.update(alpha, code, { phone: '+372.777' });
  await repp.delete(alpha, code);
  expect(await recordedOf(code)).toEqual(['create true', 'update true', 'delete true']);
});

test('what a person, the operator and an erasure change', async () => {
  const person = await addPerson(worker.env);
  const contact = await addContact(worker.env, alpha, { ident: person.code, code: `X${unique()}` });
  await portal.update(person, contact.uuid, { phone: '+372.777' });
  await updateAnyContact(worker.operation, contact.code, { phone: '+372.888' });
  await repp.delete(alpha, contact.code);
  await eraseContact(worker.operation, contact.uuid);
  expect(await recordedOf(contact.code)).toEqual([
    'update true',
    'update true',
    'delete true',
    'update true',
  ]);
});

test('the deletion of a contact that no domain has referred to for long', async () => {
  const { code } = await addContact(worker.env, alpha, { createdAt: '1999-01-01T00:00:00.000Z' });
  await deleteOrphans(worker.db, '2000-01-01T00:00:00.000Z', operator.request);
  expect(await recordedOf(code)).toEqual(['delete true']);
});

test('contacts and domains that are imported, changed and removed', async () => {
  const code = `${alpha.code}:TAMM`;
  const registrar = alpha.code;
  await importContacts(worker.operation, [{ ...contactValues, code, registrar }]);
  expect(await recordedOf(code)).toEqual(['create true']);
  const name = parseDomainName(`õ${unique()}.ee`);
  const domain = { ...name, registrar, registrant: code, admin: [], tech: [] };
  await importDomains(worker.operation, [domain]);
  await importDomains(worker.operation, [{ ...domain, admin: [code] }]);
  await updateDomain(worker.operation, name, { tech: [code] });
  await removeDomains(worker.operation, [name.name]);
  expect(await recordedOf(name.name)).toEqual([
    'create true',
    'update true',
    'update true',
    'delete true',
  ]);
});

test('the UUIDs of a domain’s contacts, beside their codes and shown to nobody', async () => {
  const [one, other] = [await addContact(worker.env, alpha), await addContact(worker.env, alpha)];
  const name = parseDomainName(`õ${unique()}.ee`);
  const domain = { ...name, registrar: alpha.code, registrant: one.code, admin: [], tech: [] };
  await importDomains(worker.operation, [{ ...domain, admin: [one.code, other.code] }]);
  await updateDomain(worker.operation, name, { registrant: other.code });
  await removeDomains(worker.operation, [name.name]);
  const form = { name: name.name, registrar: alpha.code, created_at: '2026-01-02T03:04:05.678Z' };
  const lists = { registrant: [one.code], admin: [], tech: [] };
  const { actor, request } = operator;
  await addForms({ db: worker.db, origin: { actor, request } }, domainKind, [{ form, lists }]);
  const entries = await worker.db.select().from(history).where(eq(history.subjectKey, name.name));
  const [first, second] = [{ [one.code]: one.uuid }, { [other.code]: other.uuid }];
  const both = { ...first, ...second };
  expect(entries.map(({ changes }) => changes)).toMatchObject([
    { registrant: { from: null, uuids: first }, admin: { uuids: both } },
    { registrant: { from: one.code, to: other.code, uuids: both } },
    { registrant: { to: null, uuids: second }, admin: { uuids: both } },
    { registrant: { to: one.code, uuids: first } },
  ]);
  for (const entry of entries) {
    expect(JSON.stringify(historyData(entry))).not.toContain('uuids');
    expect(JSON.stringify(historyEntry(entry))).not.toContain('uuids');
  }
});
