import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();
const count = 100_000;

test('lists more invalid contacts than its memory holds', { timeout: 600_000 }, async () => {
  const registry = await tool.newRegistry('ALPHA');
  registry.edit(`
    with recursive n(value) as (select 1 union all select value + 1 from n where value < ${count})
    insert into contacts (uuid, registrar_id, number, code, name, name_key, email, email_key, phone, ident, ident_key, ident_type,
      ident_country_code, auth_info, created_at, updated_at)
    select 'uuid-' || value, 1, value, 'ALPHA:' || value, 'Mari Maasikas ' || value, 'MARI MAASIKAS ' || value, '', '', '+3725123456', value, value,
      'passport', 'EE', hex(randomblob(200)), '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z' from n`);
  const child = registry.start('contact list --invalid --json', false, 100);
  child.stdin.end();
  let lines = 0;
  createInterface(child.stdout).on('line', () => (lines += 1));
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ status, lines, errors }).toEqual({ status: 0, lines: count, errors: '' });
});
