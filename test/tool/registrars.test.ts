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
      phone: null,
      email: null,
      website: null,
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

const channels = {
  phone: '+372.6123456',
  email: 'abi@alpha.example',
  website: 'https://alpha.example/',
};

test.each([
  ['SEVENTY', false],
  ['EIGHTEEN', true],
])(
  'adding %s says whether the codes of its contacts are too long for EPP',
  async (code, isTooLong) => {
    const registry = await tool.newRegistry();
    const { stdout } = await registry.run(`registrar add --code ${code} --name X --dry-run`);
    expect(stdout.includes('more than the 16 characters of EPP')).toBe(isTooLong);
  },
);

test('keeps how people reach a registrar: given, changed and cleared', async () => {
  const registry = await tool.newRegistry();
  const given = Object.entries(channels).flatMap(([name, value]) => [`--${name}`, value]);
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ', ...given]);
  expect((await registry.done('registrar show ALPHA')).registrar).toMatchObject(channels);
  const { changes } = await registry.done([
    ...['registrar', 'update', 'ALPHA', '--phone', ' +372.6999999 ', '--email', ''],
  ]);
  expect(changes).toEqual({
    phone: { from: channels.phone, to: '+372.6999999' },
    email: { from: channels.email, to: null },
  });
  const { stdout } = await registry.run('registrar list --csv');
  expect(stdout).toContain('ALPHA,Alpha OÜ,+372.6999999,,https://alpha.example/,');
});

test.each([
  ['--phone', '3726123456'],
  ['--phone', '+372.0'],
  ['--email', 'abi@alpha'],
  ['--email', 'abi@ﬁrma.ee'],
  ['--website', 'alpha.example'],
  ['--website', 'javascript:alert(1)//https://alpha.example'],
  ['--website', 'https://alpha.example@beta.example/'],
  ['--website', 'https://alpha\u00ad.example/'],
  ['--website', `https://alpha.example/${'a'.repeat(255)}`],
])('refuses %s %s of a registrar', async (option, value) => {
  const registry = await tool.newRegistry('ALPHA');
  const { status, stderr } = await registry.run(['registrar', 'update', 'ALPHA', option, value]);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^refused: .* is invalid.* \\[${option.slice(2)}\\]`));
  expect((await registry.done('registrar show ALPHA')).registrar).toMatchObject({
    phone: null,
    email: null,
    website: null,
  });
});

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
