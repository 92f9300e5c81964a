import { expect, test } from 'vitest';
import { nameKey } from '../../src/base/text/search-key.ts';
import { mailboxKey } from '../../src/contact/mailbox.ts';
import { findContacts } from '../../src/contact/operator/find.ts';
import { renewContactKeys, renewFormerKeys } from '../../src/contact/operator/rekey.ts';
import { addContact, addRegistrar, newContact, send } from '../support/fixtures.ts';
import { startWorker } from '../support/worker.ts';

const worker = startWorker();

const all = Number.MIN_SAFE_INTEGER;

test('keys that another release wrote are found as they were, and as new ones once they are renewed', async () => {
  const registrar = await addRegistrar(worker.env);
  const name = 'Ｄórothea ﾊﾞﾝ Þþ';
  const { id, uuid } = await addContact(worker.env, registrar, { name, email: 'õie@Õun.ee' });
  await worker.env.DB.prepare('update contacts set name_key = ?, email_key = ? where id = ?')
    .bind(name.toUpperCase(), 'ÕIE@ÕUN.EE', id)
    .run();
  const found = async (text: string) => {
    const { byName } = await findContacts(worker.db, text, 10);
    return byName.some((one) => one.uuid === uuid);
  };
  const listed = async (text: string) => {
    const path = `/repp/v1/contacts?name=${encodeURIComponent(text)}`;
    const response = await worker.fetch(path, send('GET', registrar));
    return ((await response.json()) as { contacts: string[] }).contacts.length === 1;
  };
  expect([await found(name), await found('dorothea バン'), await listed(name)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(await renewContactKeys(worker.db, all, { isDryRun: true })).toMatchObject({ count: 1 });
  expect(await renewContactKeys(worker.db, all)).toMatchObject({ count: 1, last: undefined });
  expect(await renewContactKeys(worker.db, all)).toMatchObject({ count: 0 });
  expect([await found('dorothea バン'), await listed('dorothea バン thth')]).toEqual([true, true]);
  const row = await worker.env.DB.prepare('select name_key, email_key from contacts where id = ?')
    .bind(id)
    .first();
  expect(row).toEqual({ name_key: nameKey(name), email_key: mailboxKey('õie@Õun.ee') });
});

test('the names of former contacts are found by new keys once they are renewed', async () => {
  const registrar = await addRegistrar(worker.env);
  const create = await worker.fetch(
    '/repp/v1/contacts',
    send('POST', registrar, { contact: newContact({ name: 'Éowyn Ðóra' }) }),
  );
  const { id: code } = ((await create.json()) as { data: { contact: { id: string } } }).data
    .contact;
  await worker.fetch(`/repp/v1/contacts/${code}`, send('DELETE', registrar));
  await worker.env.DB.prepare(
    `update former_contacts set name_key = 'ÉOWYN ÐÓRA' where name_key = ?`,
  )
    .bind('EOWYN DORA')
    .run();
  const found = async (text: string) => (await findContacts(worker.db, text, 10)).former.length;
  expect([await found('dora eowyn'), await found('Éowyn')]).toEqual([0, 1]);
  expect(await renewFormerKeys(worker.db, all)).toMatchObject({ count: 1 });
  expect(await renewFormerKeys(worker.db, all)).toMatchObject({ count: 0 });
  expect([await found('dora eowyn'), await found('ðóra')]).toEqual([1, 1]);
});
