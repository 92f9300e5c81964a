import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../dev/server.ts';
import { basic } from '../support/fixtures.ts';
import { contactHeader, startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA');
/** The first errors came after 10,000. */
const contacts = 12_000;
const writers = 6;

let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer('--no-demo', '--persist-to', registry.directory);
}, 120_000);

afterAll(() => server.stop('SIGINT'), 60_000);

function file(): string {
  const rows = Array.from(
    { length: contacts },
    (_, n) => `ALPHA:I${n},Mari ${n},mari${n}@example.ee,+372.5123456,${n},org,LV\n`,
  );
  return contactHeader + rows.join('');
}

const ident = { ident: '12345678', ident_type: 'org', ident_country_code: 'EE' };
const body = JSON.stringify({
  contact: { name: 'Jaan', email: 'jaan@example.ee', phone: '+372.5123456', ident },
});

test('imports while clients of the running server write, without an error for either', async () => {
  const user = ['api-user', 'add', '--registrar', 'ALPHA', '--username', 'ats'];
  const { secret } = await registry.done(user);
  const headers = { Authorization: basic('ats', secret), 'Content-Type': 'application/json' };
  const statuses = new Map<number, number>();
  let isDone = false;
  const write = async () => {
    while (!isDone) {
      const url = `${server.address}/repp/v1/contacts`;
      const { status } = await fetch(url, { method: 'POST', headers, body });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const writing = Array.from({ length: writers }, write);
  const imported = await registry.spawn('contact import - --registrar ALPHA --json', file());
  isDone = true;
  await Promise.all(writing);
  expect(imported).toMatchObject({ status: 0 });
  expect(JSON.parse(imported.stdout)).toMatchObject({ added: contacts });
  expect([...statuses.keys()]).toEqual([200]);
  const { registrar } = await registry.done('registrar show ALPHA');
  expect(registrar.contact_count).toBe(contacts + statuses.get(200)!);
}, 300_000);
