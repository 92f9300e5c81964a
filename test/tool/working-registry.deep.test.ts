import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from './server.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  server = await startServer('--no-demo', '--ip', '127.0.0.1', '--persist-to', registry.directory);
}, 120_000);

afterAll(() => server.stop('SIGINT'), 60_000);

// biome-ignore lint/suspicious/noExplicitAny: the bodies of five interfaces
async function get(path: string, authorization?: string): Promise<{ status: number; body: any }> {
  const headers = authorization ? { Authorization: authorization } : undefined;
  const response = await fetch(server.address + path, { ...(headers && { headers }) });
  return { status: response.status, body: await response.json() };
}

async function patch(path: string, body: unknown) {
  const response = await fetch(server.address + path, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the body of an auction
  return response.json() as any;
}

const contacts =
  'ALPHA:1,Jaan Tamm,jaan@example.ee,+372.5123456,38001085718,priv,EE\n' +
  'ALPHA:2,Tamm OÜ,info@example.ee,+372.5123457,12345678,org,EE\n';

test('builds a registry that every interface shows, while it is running', async () => {
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  const { secret } = await registry.done('api-user add --registrar ALPHA --username ats');
  await registry.importContacts(contacts);
  const domains = 'name,registrar,registrant,admin,tech\nõun.ee,ALPHA,ALPHA:1,,ALPHA:1 ALPHA:2\n';
  await registry.done('domain import -', domains);
  await registry.done('retained add riigikogu.ee õ.ee --status reserved');
  await registry.done('dispute open õ.ee --from 2020-01-01 --until 2099-12-31');
  await registry.done('auction start kohv.ee õli.ee');

  const login = `Basic ${Buffer.from(`ats:${secret}`).toString('base64')}`;
  const repp = await get('/repp/v1/contacts?details=true', login);
  expect(repp.body.contacts.map(({ code, statuses }: Contact) => [code, statuses])).toEqual([
    ['ALPHA:1', ['ok', 'linked']],
    ['ALPHA:2', ['ok', 'linked']],
  ]);

  const { access_token: token } = await registry.done([
    ...['token', 'issue', '--ident', 'EE38001085718', '--name', 'Jaan Tamm'],
  ]);
  const { body: own } = await get('/api/v1/registrant/contacts', `Bearer ${token}`);
  expect(own.contacts.map(({ code }: Contact) => code)).toEqual(['ALPHA:1']);

  expect((await get('/repp/v1/retained_domains')).body).toEqual({
    count: 3,
    domains: [
      { name: 'riigikogu.ee', status: 'reserved', punycode_name: 'riigikogu.ee' },
      { name: 'õ.ee', status: 'disputed', punycode_name: 'xn--mda.ee' },
      { name: 'õ.ee', status: 'reserved', punycode_name: 'xn--mda.ee' },
    ],
  });
  expect((await get('/repp/v1/auctions')).body).toEqual({
    count: 2,
    auctions: [
      { domain_name: 'kohv.ee', punycode_domain_name: 'kohv.ee' },
      { domain_name: 'õli.ee', punycode_domain_name: 'xn--li-bka.ee' },
    ],
  });

  const { body: auctions } = await get('/api/v1/auctions');
  const { id } = auctions.find(({ domain }: { domain: string }) => domain === 'kohv.ee');
  const paid = await patch(`/api/v1/auctions/${id}`, { status: 'payment_received' });
  const wrong = await registry.run(['auction', 'register', id, '--code', '0'.repeat(32)]);
  expect(wrong).toMatchObject({ status: 1 });
  await registry.done(['auction', 'register', 'kohv.ee', '--code', paid.registration_code]);
  expect(await registry.done(['auction', 'show', id])).toMatchObject({
    domain: 'kohv.ee',
    status: 'domain_registered',
    registration_code: null,
  });

  await registry.done('api-user disable ats');
  expect(await get('/repp/v1/contacts', login)).toMatchObject({ status: 401 });
  await registry.done('api-user enable ats');
  expect(await get('/repp/v1/contacts', login)).toMatchObject({ status: 200 });
  const { secret: rotated } = await registry.done('api-user rotate ats');
  expect(await get('/repp/v1/contacts', login)).toMatchObject({ status: 401 });
  const again = `Basic ${Buffer.from(`ats:${rotated}`).toString('base64')}`;
  await fetch(`${server.address}/repp/v1/contacts/ALPHA:2`, {
    method: 'DELETE',
    headers: { Authorization: again },
  });

  await registry.done('domain import -', 'name,registrar,registrant,tech\nõun.ee,ALPHA,ALPHA:1,\n');
  const deletion = await fetch(`${server.address}/repp/v1/contacts/ALPHA:2`, {
    method: 'DELETE',
    headers: { Authorization: again },
  });
  expect(deletion.status).toBe(200);
  const { history } = await registry.done('history contact ALPHA:2');
  expect(history).toMatchObject([
    { action: 'create', actor_type: 'operator' },
    { action: 'delete', actor_type: 'api_user', actor: '1-ApiUser: ats' },
  ]);
}, 300_000);

interface Contact {
  code: string;
  statuses: string[];
}
