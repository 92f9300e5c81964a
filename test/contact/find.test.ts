import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameKey } from '../../src/base/text/search-key.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { findContacts, findNearPersons } from '../../src/contact/operator/find.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { addContact, addRegistrar } from '../support/fixtures.ts';
import { databaseBefore } from '../support/old-database.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

const operation = () => ({
  db: worker.db,
  origin: {
    actor: { type: 'operator', name: 'Operator' } as const,
    request: { at: new Date('2026-05-06T07:08:09.010Z'), requestId: crypto.randomUUID() },
  },
});

async function uuidsOf(text: string) {
  const { byName, former } = await findContacts(worker.db, text, 21);
  return { present: byName.map(({ uuid }) => uuid), former: former.map(({ uuid }) => uuid) };
}

test('a name is found by its words in any order, and by their beginnings', async () => {
  const registrar = await addRegistrar(worker.env);
  const { uuid } = await addContact(worker.env, registrar, {
    name: 'OÜ O’Brien, Van-Heerden & “Põld” ja Pojad',
  });
  const texts = [
    ...[
      "o'brien",
      'heerden van',
      'POJAD pold',
      'ou',
      'po ja van',
      'põ',
      'O´BRIEN (OÜ)',
      'heer vAn',
    ],
  ];
  for (const text of texts) {
    expect({ text, ...(await uuidsOf(text)) }).toEqual({ text, present: [uuid], former: [] });
  }
  for (const text of ['ojad', 'pojad pojadki', 'obrien']) {
    expect({ text, ...(await uuidsOf(text)) }).toEqual({ text, present: [], former: [] });
  }
});

test('a contact is found by its name, whatever signs are in it', async () => {
  const registrar = await addRegistrar(worker.env);
  const signs = fc.constantFrom(
    ...' \t\n"\'\\[]{},.-_%`$+…«»–\u00a0\u2028',
    'a',
    'B',
    'õ',
    'ß',
    '北',
    '😀',
    'ʹ',
  );
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({
      unit: fc.oneof(signs, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
      maxLength: 255,
    }),
  );
  const isFound = async (text: string) => {
    const { uuid } = await addContact(worker.env, registrar, { name: text });
    const { byName } = await findContacts(worker.db, text, 1_000);
    expect(byName.map((one) => one.uuid)).toContain(uuid);
  };
  // The key of a letter that is written as an apostrophe is a sign, and signs alone are no word.
  const isWord = (text: string) =>
    /[\p{L}\p{N}]/u.test(nameKey(text)) && !/[@:]/.test(text) && text.length < 256;
  await fc.assert(fc.asyncProperty(name.filter(isWord), isFound), { numRuns: 50 });
});

test('a contact is found by its new name, as a former one once it is deleted, and as present once it is back', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, { name: 'Mari Leppik' });
  await updateAnyContact(operation(), code, { name: 'Mari Kuuskmaa' });
  expect(await uuidsOf('leppik')).toEqual({ present: [], former: [] });
  expect(await uuidsOf('kuuskmaa mari')).toEqual({ present: [uuid], former: [] });
  const deletion = operation();
  await deleteAnyContact(deletion, code);
  expect(await uuidsOf('kuuskmaa')).toEqual({ present: [], former: [uuid] });
  expect((await findNearPersons(worker.db, 'kuuksmaa', 5)).former).toMatchObject([
    { uuid, code, name: 'Mari Kuuskmaa', ended: 'deleted' },
  ]);
  const back = operation();
  await revert(back, await planRevert(back, deletion.origin.request.requestId));
  expect(await uuidsOf('kuuskmaa')).toEqual({ present: [uuid], former: [] });
  await deleteAnyContact(operation(), code);
  await eraseContact(operation(), uuid);
  expect(await uuidsOf('kuuskmaa')).toEqual({ present: [], former: [] });
});

test('an address is found once it has changed, after the contact was deleted too', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code, uuid } = await addContact(worker.env, registrar, { email: 'One@õun.example' });
  await updateAnyContact(operation(), code, { email: 'two@example.ee' });
  await updateAnyContact(operation(), code, { email: 'one@õun.example' });
  await updateAnyContact(operation(), code, { email: 'three@example.ee' });
  const find = async (text: string) => {
    const { byIdentifier, former } = await findContacts(worker.db, text, 21);
    return { present: byIdentifier.map((one) => one.uuid), former };
  };
  const changed = [{ uuid, code, ended: 'changed' }];
  expect(await find('one@XN--un-bka.example')).toMatchObject({ present: [], former: changed });
  expect(await find('three@example.ee')).toEqual({ present: [uuid], former: [] });
  await deleteAnyContact(operation(), code);
  const deleted = [{ uuid, code, ended: 'deleted' }];
  expect(await find('three@example.ee')).toMatchObject({ present: [], former: deleted });
  expect(await find('two@example.ee')).toMatchObject({ present: [], former: changed });
});

test('the migration finds contacts, and those that were deleted before it', () => {
  const { database, migrate } = databaseBefore('search_of_staff');
  database.exec(`
    insert into contacts (id, uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    values (7, 'kept', 1, 1, 'ALPHA:1', 'Mari-Liis Õun', 'MARI-LIIS OUN', 'a@b.ee', 'A@B.EE', '+372.5551234', '1', '1',
      'priv', 'FI', 'x', '', '');
    insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, changes)
    select '', 'contact', value, value, 'delete', 'operator', '', json_object('name', json_object('from', name, 'to', null))
    from (select 'gone' as value, 'Õie O''Põder-Ots' as name union all select 'erased', null
      union all select 'kept', 'Other Name')`);
  migrate();
  const rows = database.prepare(`select words, ifnull(uuid, '') as uuid from contact_names
    left join former_contacts on id = contact_id order by contact_id desc, words`);
  expect(rows.all().map((row) => ({ ...row }))).toEqual([
    { words: 'LIIS OUN MARI ', uuid: '' },
    { words: 'MARI LIIS OUN ', uuid: '' },
    { words: 'OUN MARI LIIS ', uuid: '' },
    { words: 'O PODER OTS OIE ', uuid: 'gone' },
    { words: 'OIE O PODER OTS ', uuid: 'gone' },
    { words: 'OTS OIE O PODER ', uuid: 'gone' },
    { words: 'PODER OTS OIE O ', uuid: 'gone' },
  ]);
});
