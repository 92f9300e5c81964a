import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
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
  expect(history.toReversed()).toMatchObject([
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
  expect((await registry.run('registrar list')).stdout).toMatch(/^ALPHA .* \d{4}-\S+Z +every/m);
  expect((await registry.run(diagnose)).stdout).toMatch(/^registrar +refused: suspended$/m);
  expect(await registry.done(suspend)).toMatchObject({ changed: false });

  expect(await registry.done('registrar resume ALPHA')).toMatchObject({ changed: true });
  expect((await registry.run(diagnose)).stdout).toMatch(/^registrar +passed$/m);
  const { history } = await registry.done('history registrar ALPHA');
  expect(history.toReversed().slice(1)).toMatchObject([
    {
      changes: {
        suspended_at: { from: null, to: suspended_at },
        reason: { from: null, to: 'contract ended' },
      },
    },
    { changes: { suspended_at: { from: suspended_at, to: null } } },
  ]);
});
