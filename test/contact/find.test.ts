import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { findContacts } from '../../src/contact/operator/find.ts';
import { counted } from '../support/counted.ts';
import { countedRows } from '../support/counted-rows.ts';
import { addRegistrar } from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

/** So many contacts, and so many that were changed and then deleted. */
const insert = {
  contacts: `
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ?1)
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at)
    select n, ?2, n, 'A:' || n, 'Kalle ' || n, 'KALLE ' || n, 'a@b.ee', 'A@B.EE', '+372.5', n, n,
      'priv', 'FI', 'x', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    from n`,
  history: `
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ?1)
    insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, changes)
    select '2026-01-01T00:00:00.000Z', 'contact', 'A:D' || n, 'd' || n, action, 'operator', 'Operator ats',
      '{"email":{"from":"d' || n || '@b.ee","to":null}}'
    from n, (select 'create' as action union all select 'update' union all select 'update' union all select 'delete')`,
};

test('a search reads each key of a name once, and no updates in the history', async () => {
  const { id } = await addRegistrar(worker.env);
  await worker.env.DB.prepare(insert.contacts).bind(1_000, id).run();
  await worker.env.DB.prepare(insert.history).bind(1_000).run();
  const { env, counts } = counted(worker.env);
  const find = async (text: string) => {
    counts.rowsRead = 0;
    const found = await findContacts(openDatabase(env.DB), text, 21);
    return { found, ...countedRows({ rowsRead: counts.rowsRead }) };
  };
  const nobody = { byCode: [], byIdentifier: [], byName: [], former: [] };
  for (const text of ['nobody', 'qwertyuiopasdfghjklzxcvbnm', 'ЁЙqwertyuiopasdfghjklzxcvbnm']) {
    const { found, rowsRead = 0 } = await find(text);
    expect(found).toEqual(nobody);
    expect(rowsRead).toBeLessThan(1_100);
  }
  const { found, rowsRead = 0 } = await find('d7@b.ee');
  expect(found).toMatchObject({ ...nobody, former: [{ code: 'A:D7', ended: 'deleted' }] });
  expect(rowsRead).toBeLessThan(2_600);
});
