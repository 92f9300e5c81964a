import { afterEach, expect, test } from 'vitest';
import { startTool } from '../tool/tool.ts';
import { startServer } from './server.ts';

const tool = startTool();
const startMilliseconds = 120_000;

type Server = Awaited<ReturnType<typeof startServer>>;
let server: Server | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
}, 60_000);

async function start(directory: string): Promise<Server> {
  server = await startServer('--no-demo', '--persist-to', directory);
  return server;
}

function contacts(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, n) => `ALPHA:I${n},Mari ${n},mari${n}@example.ee,+372.5123456,${n},org,LV\n`,
  );
  return `code,name,email,phone,ident,ident_type,ident_country_code\n${rows.join('')}`;
}

test('a server that is started during an import disturbs neither', {
  timeout: 2 * startMilliseconds,
}, async () => {
  const registry = await tool.newRegistry('ALPHA');
  const file = await registry.file('contacts.csv', contacts(10_000));
  const importing = registry.spawn(['contact', 'import', file, '--registrar', 'ALPHA', '--json']);
  const starting = start(registry.directory);
  const [imported, started] = await Promise.allSettled([importing, starting]);
  // Whichever came first, the other one waited: an import for the server, a server for the import, or in vain.
  if (started.status === 'rejected') {
    expect(String(started.reason)).toMatch(/registry \(process \d+\) is at work on/);
  }
  expect(imported).toMatchObject({ value: { status: 0 } });
  const { registrar } = await registry.done('registrar show ALPHA');
  expect(registrar.contact_count).toBe(10_000);
});

test('two tools that write at once both do what they were told', {
  timeout: startMilliseconds,
}, async () => {
  const registry = await tool.newRegistry();
  const names = (prefix: string) =>
    Array.from({ length: 1_000 }, (_, n) => `${prefix}${n}.ee,reserved\n`).join('');
  const importing = ['a', 'b'].map((prefix) =>
    registry.spawn('retained import - --json', `name,status\n${names(prefix)}`),
  );
  for (const { status } of await Promise.all(importing)) expect(status).toBe(0);
  const { count } = await registry
    .done(['lists', 'status'])
    .then(({ lists }) => lists.find(({ list }: { list: string }) => list === 'reserved'));
  expect(count).toBe(2_000);
});
