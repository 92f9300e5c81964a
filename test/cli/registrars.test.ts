import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { digestSecret } from '../../src/credential/secret.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const actor = `Operator ${userInfo().username}`;

test('adds, changes and lists registrars, and records the operator', async () => {
  const registry = await tool.newRegistry();
  const add = ['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ'];
  const allow = ['--allow-ip', '192.0.2.0/24', '2001:db8::/32'];
  expect(await registry.done([...add, ...allow, '--dry-run'])).toMatchObject({ changed: false });
  expect(await registry.done('registrar list')).toEqual({ registrars: [] });
  await registry.done([...add, ...allow]);
  expect(await registry.run(add)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'refused: there is already a registrar ALPHA [code]\n',
  });
  await registry.done(['registrar', 'update', 'ALPHA', '--name', 'Alpha AS', '--allow-all']);
  const { registrars } = await registry.done('registrar list');
  expect(registrars).toEqual([
    {
      code: 'ALPHA',
      name: 'Alpha AS',
      allowed_ips: [],
      webhook_url: null,
      webhook_failing_since: null,
      contact_count: 0,
      suspended_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ]);
  const { history } = await registry.done('history registrar ALPHA');
  expect(history).toMatchObject([
    { action: 'create', actor_type: 'operator', actor },
    {
      action: 'update',
      actor_type: 'operator',
      actor,
      changes: {
        name: { from: 'Alpha OÜ', to: 'Alpha AS' },
        allowed_ips: { from: ['192.0.2.0/24', '2001:db8::/32'], to: [] },
      },
    },
  ]);
}, 120_000);

test('suspends a registrar with a reason, and lets it in again', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('api-user add --registrar ALPHA --username ats');
  const suspend = ['registrar', 'suspend', 'ALPHA', '--reason', 'contract ended'];
  const diagnose = 'registrar diagnose ALPHA --username ats --ip 192.0.2.7';
  const suspended_at = expect.any(String);

  expect(await registry.done([...suspend, '--dry-run'])).toMatchObject({ changed: false });
  expect((await registry.run(diagnose)).stdout).toMatch(/^registrar +passed$/m);

  expect(await registry.done(suspend)).toMatchObject({
    registrar: { code: 'ALPHA', suspended_at },
    changed: true,
  });
  expect(await registry.done('registrar show ALPHA')).toMatchObject({
    registrar: { suspended_at },
  });
  expect((await registry.run('registrar list')).stdout).toMatch(/ suspended since \d{4}-/);
  expect((await registry.run(diagnose)).stdout).toMatch(/^registrar +refused: suspended$/m);
  expect(await registry.done(suspend)).toMatchObject({ changed: false });

  expect(await registry.done('registrar resume ALPHA')).toMatchObject({ changed: true });
  expect((await registry.run(diagnose)).stdout).toMatch(/^registrar +passed$/m);
  const { history } = await registry.done('history registrar ALPHA');
  expect(history.slice(1)).toMatchObject([
    {
      changes: {
        suspended_at: { from: null, to: suspended_at },
        reason: { from: null, to: 'contract ended' },
      },
    },
    { changes: { suspended_at: { from: suspended_at, to: null } } },
  ]);
});

test('refuses an allow-list entry that is no address, naming it', async () => {
  const registry = await tool.newRegistry();
  const add = ['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ'];
  expect(await registry.run([...add, '--allow-ip', '192.0.2.0/33'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'refused: not an address or CIDR range: 192.0.2.0/33 [allow_ip]\n',
  });
});

test('prints a secret once, keeps its digest alone, and records neither', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const add = ['api-user', 'add', '--registrar', 'ALPHA', '--username', 'ats'];
  const { secret: first } = await registry.done(add);
  const { secret: second } = await registry.done('api-user rotate ats');
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).toMatch(/^[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
  expect(await registry.done('api-user disable ats')).toMatchObject({ changed: true });
  expect(await registry.done('api-user disable ats')).toMatchObject({ changed: false });
  const rows = await registry.rows();
  expect(rows.api_users).toMatchObject([
    { username: 'ats', secret_digest: await digestSecret(second), disabled_at: expect.any(String) },
  ]);
  const told = JSON.stringify(rows.history);
  for (const secret of [first, second]) {
    expect(told).not.toContain(secret);
    expect(told).not.toContain(await digestSecret(secret));
  }
  const { history } = await registry.done('history api-user ats');
  expect(history.map(({ action }: { action: string }) => action)).toEqual([
    'create',
    'update',
    'update',
  ]);
}, 120_000);

test('shows since when each user has had its secret, and the one before it', async () => {
  const registry = await tool.newRegistry('ALPHA');
  for (const username of ['ats', 'mari']) {
    await registry.done(['api-user', 'add', '--registrar', 'ALPHA', '--username', username]);
  }
  const [since, previous] = ['2026-02-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'];
  registry.edit(`update api_users set secret_changed_at = '${since}'`);
  registry.edit(`update api_users set previous_secret_digest = printf('%064x', 1),
    previous_secret_changed_at = '${previous}' where username = 'mari'`);
  const { api_users } = await registry.done('api-user list');
  const times = { secret_changed_at: since, previous_secret_valid_until: null };
  expect(api_users).toMatchObject([
    { username: 'ats', ...times, previous_secret_changed_at: null },
    { username: 'mari', ...times, previous_secret_changed_at: previous },
  ]);
  const { stdout } = await registry.run('api-user list');
  expect(stdout).toMatch(new RegExp(`^ats +ALPHA +since ${since} +enabled$`, 'm'));
  expect(stdout).toContain(`since ${previous}, until a day after the new one is first used`);
  await registry.done('api-user rotate mari');
  const [, mari] = (await registry.done('api-user list')).api_users;
  expect(mari).toMatchObject({ username: 'mari', previous_secret_changed_at: null });
}, 120_000);

test('refuses a user of an unknown registrar, and a username that is taken', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('api-user add --registrar ALPHA --username ats');
  const add = (code: string, username: string) =>
    registry.run(['api-user', 'add', '--registrar', code, '--username', username]);
  expect((await add('BETA', 'mari')).stderr).toBe(
    'refused: there is no registrar "BETA" [registrar]\n',
  );
  expect((await add('ALPHA', 'ats')).stderr).toBe(
    'refused: there is already an API user ats [username]\n',
  );
  expect((await add('ALPHA', 'a:b')).stderr).toContain('"a:b" is not a username');
}, 120_000);
