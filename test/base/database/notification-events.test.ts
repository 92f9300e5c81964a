import { globSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';

const migrations = globSync('migrations/*.sql').sort();
const added = migrations.findIndex((name) => name.includes('notification_events'));

test('notifications and their deliveries stay when other events become possible', () => {
  const database = new DatabaseSync(':memory:');
  const apply = (names: readonly string[]) => {
    for (const name of names) database.exec(readFileSync(name, 'utf8'));
  };
  const rowsOf = (table: string) => database.prepare(`select * from ${table} order by id`).all();
  apply(migrations.slice(0, added));
  database.exec(`
    insert into registrars (id, code, name, created_at, updated_at) values (1, 'ALPHA', 'Alpha', '', '');
    insert into notifications (id, registrar_id, event, text, subject_key, fields, created_at, read_at)
    values (3, 1, 'contact.updated', 'a', 'ALPHA:1', '["email"]', '2026-01-01', null),
      (4, 1, 'contact.deleted', 'b', 'ALPHA:2', '[]', '2026-01-02', '2026-01-03'),
      (9, 1, 'contact.deleted', 'c', 'ALPHA:3', '[]', '2026-01-02', null);
    insert into webhook_deliveries (id, registrar_id, notification_id, created_at, waits_since, attempts, outcome)
    values ('d1', 1, 3, 'x', 'y', 2, 'HTTP 500'), ('d2', 1, null, 'x', 'y', 0, null);
    delete from notifications where id = 9`);
  const before = [rowsOf('notifications'), rowsOf('webhook_deliveries')];
  apply(migrations.slice(added));
  expect([rowsOf('notifications'), rowsOf('webhook_deliveries')]).toEqual(before);
  database.exec(`
    insert into notifications (registrar_id, event, text, subject_key, fields, created_at)
    values (1, 'contact.verification_required', 'd', 'ALPHA:1', '[]', '');
    delete from notifications where id = 3`);
  // An id is never used again, and a delivery goes with its notification.
  expect(rowsOf('notifications').map(({ id }) => id)).toEqual([4, 10]);
  expect(rowsOf('webhook_deliveries').map(({ id }) => id)).toEqual(['d2']);
});
