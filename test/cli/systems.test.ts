import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { digestSecret } from '../../src/credential/secret.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const actor = `Operator ${userInfo().username}`;
const add = 'system add epp --may domains,act-for=alpha --allow-ip 192.0.2.7,2001:db8::/32';

async function digestsOf(registry: { rows(): Promise<unknown> }) {
  const { systems } = (await registry.rows()) as Record<string, Record<string, unknown>[]>;
  const [system] = systems!;
  return { key: system!.key_digest, previous: system!.previous_key_digest };
}

test('a system is added with its rights and addresses, and its key is shown once', async () => {
  const registry = await tool.newRegistry('ALPHA');
  expect(await registry.done([...add.split(' '), '--dry-run'])).toEqual({
    system: { name: 'epp' },
    changed: false,
  });
  expect(await registry.done('system list')).toEqual({ systems: [] });
  const added = await registry.done(add);
  expect(added).toEqual({
    system: { name: 'epp', key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    changed: true,
    request_id: expect.any(String),
  });
  expect((await digestsOf(registry)).key).toBe(await digestSecret(added.system.key));
  expect(await registry.done('system list')).toEqual({
    systems: [
      {
        name: 'epp',
        rights: ['act-for=ALPHA', 'domains'],
        allowed_ips: ['192.0.2.7', '2001:db8::/32'],
        key_changed_at: expect.any(String),
        has_previous_key: false,
        previous_key_valid_until: null,
        disabled_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
  });
  expect(await registry.done('history system epp')).toMatchObject({
    history: [
      { subject: 'system', action: 'create', actor, changes: { key_digest: { redacted: true } } },
    ],
  });
});

test.each([
  ['a name that is taken', 'system add epp', 'refused: there is already a system epp [name]\n'],
  ['a malformed name', 'system add EPP', /^refused: "EPP" is not a name: .* \[name\]\n$/],
  [
    'an unknown right',
    'system add shop --may names',
    /^refused: "names" is not a right: use .* \[may\]\n$/,
  ],
  [
    'an unknown registrar',
    'system add shop --may act-for=GAMMA',
    'refused: there is no registrar "GAMMA" [may]\n',
  ],
  ['a malformed address', 'system add shop --allow-ip 192.0.2', /^refused: .* \[allow_ip\]\n$/],
  ['an unknown system', 'system rotate shop', 'refused: there is no system "shop" [name]\n'],
])('the tool refuses %s', async (_, command, stderr) => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(add);
  const ended = await registry.run(command);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toMatch(stderr);
});

test('what a system may do and where it may call from are changed apart', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(add);
  expect(await registry.done('system update epp --may changes auctions')).toEqual({
    system: { name: 'epp' },
    changes: { rights: { from: ['act-for=ALPHA', 'domains'], to: ['auctions', 'changes'] } },
    changed: true,
    request_id: expect.any(String),
  });
  expect(await registry.run('system update epp --allow-ip 192.0.2.8')).toMatchObject({
    stdout: 'changed system epp: allowed_ips: ["192.0.2.7","2001:db8::/32"] to ["192.0.2.8"]\n',
  });
  expect(await registry.run('system update epp --allow-ip 192.0.2.8')).toMatchObject({
    stdout: 'nothing to change: system epp already has these values\n',
  });
  expect(await registry.run('system list')).toMatchObject({
    stdout: expect.stringMatching(/^epp +auctions, changes +192\.0\.2\.8 +since .* enabled$/m),
  });
});

test('a key is replaced by one beside which it works, or at once', async () => {
  const registry = await tool.newRegistry();
  const { system } = await registry.done('system add epp');
  const first = await digestSecret(system.key);
  expect(await registry.done('system rotate epp --dry-run')).toEqual({
    system: { name: 'epp' },
    changed: false,
  });
  const rotated = await registry.done('system rotate epp');
  const second = await digestSecret(rotated.system.key);
  expect(await digestsOf(registry)).toEqual({ key: second, previous: first });
  expect((await registry.run('system list')).stdout).toContain(
    'until a day after the new one is first used',
  );
  const again = await registry.done('system rotate epp --at-once');
  expect(await digestsOf(registry)).toEqual({
    key: await digestSecret(again.system.key),
    previous: null,
  });
});

test('a system is disabled, enabled again, and removed', async () => {
  const registry = await tool.newRegistry();
  await registry.done('system add epp');
  expect(await registry.done('system disable epp')).toMatchObject({ changed: true });
  expect((await registry.run('system list')).stdout).toMatch(/ disabled since \d{4}-/);
  expect(await registry.done('system disable epp')).toMatchObject({ changed: false });
  expect(await registry.done('system enable epp')).toMatchObject({
    changes: { disabled_at: { from: expect.any(String), to: null } },
  });
  expect(await registry.run('system remove epp')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'refused: This removes system epp, whose key then works no more. There is no terminal to ask on; confirm with --yes\n',
  });
  expect(await registry.run('system remove epp --yes')).toMatchObject({
    stdout: 'removed system epp\n',
  });
  expect(await registry.done('system list')).toEqual({ systems: [] });
  const { history } = await registry.done('history system epp');
  expect(history.map(({ action }: { action: string }) => action)).toEqual([
    'create',
    'update',
    'update',
    'delete',
  ]);
});
