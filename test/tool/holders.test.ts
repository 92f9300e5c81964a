import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { digestSecret } from '../../src/party/credential/holder.ts';
import { startTool } from './tool.ts';

const tool = startTool();
const operator = { actor_type: 'operator', actor: `Operator ${userInfo().username}` };

/** What the two nouns call the same: `named` is what their answers say of a holder. */
const nouns = [
  {
    noun: 'api-user',
    one: 'API user',
    add: 'api-user add --registrar ALPHA --username',
    named: (username: string, secret?: unknown) => ({ username, secret }),
    malformed: ['a:b', '"a:b" is not a username: '],
    field: 'username',
    table: 'api_users',
    column: 'secret_digest',
  },
  {
    noun: 'system',
    one: 'system',
    add: 'system add',
    named: (name: string, key?: unknown) => ({ system: { name, key } }),
    malformed: ['ATS', '"ATS" is not a name: '],
    field: 'name',
    table: 'systems',
    column: 'key_digest',
  },
];

test.each(nouns)(
  '$noun: a secret is shown once, kept as its digest alone, replaced, and not recorded',
  async ({ noun, add, named, table, column }) => {
    const registry = await tool.newRegistry('ALPHA');
    const secretBy = async (command: string) => {
      const unchanged = await registry.rows();
      const dry = await registry.done(`${command} --dry-run`);
      expect(dry).toEqual({ ...dry, ...named('ats'), changed: false });
      expect(await registry.rows()).toEqual(unchanged);
      const done = await registry.done(command);
      const secret = expect.stringMatching(/^[0-9a-f]{64}$/);
      expect(done).toMatchObject({ ...named('ats', secret), changed: true });
      return (done.secret ?? done.system.key) as string;
    };
    const secrets = [await secretBy(`${add} ats`), await secretBy(`${noun} rotate ats`)];
    const digests = await Promise.all(secrets.map(digestSecret));
    const rows = await registry.rows();
    expect(rows[table]).toMatchObject([{ [column]: digests[1] }]);
    expect(digests[0]).not.toBe(digests[1]);
    for (const text of [...secrets, ...digests]) {
      expect(JSON.stringify(rows.history)).not.toContain(text);
    }
    const { history } = await registry.done(`history ${noun} ats`);
    const changes = { [column]: { redacted: true } };
    expect(history.toReversed()).toMatchObject([
      { action: 'create', ...operator, changes },
      { action: 'update', ...operator, changes },
    ]);
  },
);

test.each(nouns)(
  '$noun: one that is there, malformed or unknown is refused',
  async ({ noun, one, add, malformed: [name, problem], field }) => {
    const registry = await tool.newRegistry('ALPHA');
    await registry.done(`${add} ats`);
    const refused = async (command: string) => (await registry.run(command)).stderr;
    expect(await refused(`${add} ats`)).toMatch(
      new RegExp(`^refused: there is already an? ${one} ats \\[${field}\\]\n$`),
    );
    expect(await refused(`${add} ${name}`)).toContain(`refused: ${problem}`);
    for (const verb of ['rotate', 'disable']) {
      const unknown = `refused: there is no ${one} "mari" [${field}]\n`;
      expect(await refused(`${noun} ${verb} mari`)).toBe(unknown);
    }
  },
);

test.each(nouns)('$noun: one is disabled, and enabled again', async ({ noun, add }) => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(`${add} ats`);
  const disable = `${noun} disable ats`;
  expect(await registry.done(disable)).toMatchObject({ disabled: true, changed: true });
  expect((await registry.run(`${noun} list`)).stdout).toMatch(/ \d{4}-[^ ]+Z$/m);
  expect(await registry.done(disable)).toMatchObject({ disabled: true, changed: false });
  const { stderr } = await registry.run(`${noun} enable ats`);
  expect(stderr).toContain(`; take back: npm run registry -- ${disable}`);
  expect((await registry.run(`${noun} list`)).stdout).toMatch(/ -$/m);
});

test('api-user: the list says since when each user has had the secret, and the one before it', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('api-user add --registrar ALPHA --username ats');
  const [since, previous] = ['2026-02-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'];
  registry.edit(`update api_users set secret_changed_at = '${since}'`);
  expect((await registry.run('api-user list')).stdout).toMatch(
    new RegExp(`^ats +ALPHA +no +${since} +- +-$`, 'm'),
  );
  registry.edit(`update api_users set previous_secret_digest = printf('%064x', 1),
    previous_secret_changed_at = '${previous}'`);
  const times = { secret_changed_at: since, previous_secret_valid_until: null };
  expect(await registry.done('api-user list')).toMatchObject({
    api_users: [{ username: 'ats', ...times, previous_secret_changed_at: previous }],
  });
  expect((await registry.run('api-user list')).stdout).toContain(
    `a day after the new one is first used`,
  );
});

const addEpp = 'system add epp --may domains,act-for=alpha --allow-ip 192.0.2.7,2001:db8::/32';

test('system: what it may do and where it may call from are listed, and changed apart', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done(addEpp);
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
  expect((await registry.run('system list')).stdout).toMatch(
    /^epp +auctions, changes +192\.0\.2\.8 /m,
  );
});

test.each([
  ['api-user add --registrar BETA --username ats', 'there is no registrar "BETA" [registrar]'],
  ['system add shop --may act-for=GAMMA', 'there is no registrar "GAMMA" [may]'],
  ['system add shop --may act-for=ALPHA=B', 'there is no registrar "ALPHA=B" [may]'],
  ['system add shop --may names', '"names" is not a right: use '],
  ['system add shop --allow-ip 192.0.2', 'not an address or CIDR range: 192.0.2 [allow_ip]'],
])('the tool refuses %s', async (command, problem) => {
  const ended = await (await tool.newRegistry('ALPHA')).run(command);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toContain(`refused: ${problem}`);
});

test('system: a replaced key goes on working, unless it is replaced at once', async () => {
  const registry = await tool.newRegistry();
  const { system } = await registry.done('system add epp');
  const previous = async () =>
    (await registry.rows()).systems!.map(
      (row) => (row as Record<string, unknown>).previous_key_digest,
    );
  await registry.done('system rotate epp');
  expect(await previous()).toEqual([await digestSecret(system.key)]);
  expect((await registry.run('system list')).stdout).toContain(
    'a day after the new one is first used',
  );
  await registry.done('system rotate epp --at-once');
  expect(await previous()).toEqual([null]);
});

test('system: one is removed once that is confirmed, and stays in the history', async () => {
  const registry = await tool.newRegistry();
  await registry.done('system add epp');
  expect(await registry.run('system remove epp')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'refused: This removes system epp, whose key then works no more. There is no terminal to ask on; confirm with --yes\n',
  });
  expect((await registry.run('system remove epp --yes')).stdout).toBe('removed system epp\n');
  expect(await registry.done('system list')).toEqual({ systems: [] });
  const { history } = await registry.done('history system epp');
  expect(history.map(({ action }: { action: string }) => action)).toEqual(['delete', 'create']);
});

test('a new secret that lets nobody in says why', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.done('api-user add --registrar ALPHA --username ats');
  await registry.done('api-user disable ats');
  await registry.done(['registrar', 'suspend', 'ALPHA', '--reason', 'contract ended']);
  const lastLines = async (command: string) => {
    const { stdout } = await registry.run(command);
    const lines = stdout
      .replaceAll(` --persist-to ${registry.directory}`, '')
      .trimEnd()
      .split('\n');
    return lines.slice(-2).map((line) => line.replace('npm run registry -- ', ''));
  };
  const disabled = (holder: string) => `It is still disabled (${holder}).`;
  const suspended = 'Its registrar is suspended (registrar resume --help).';
  expect(await lastLines('api-user rotate ats')).toEqual([
    disabled('api-user enable ats'),
    suspended,
  ]);
  expect(await lastLines('api-user enable ats')).toEqual(['enabled API user ats', suspended]);
  const added = await registry.done('api-user add --registrar ALPHA --username mari');
  expect(added.refused_because).toEqual(['suspended']);
  await registry.done('system add epp');
  await registry.done('system disable epp');
  const nowhere = 'It may call from nowhere (system update epp --help).';
  expect(await lastLines('system rotate epp')).toEqual([disabled('system enable epp'), nowhere]);
  await registry.done('system update epp --allow-ip 192.0.2.7');
  registry.edit('update systems set certificate_required = 1');
  const certificate = 'It needs a client certificate too (certificate bind --help).';
  expect(await lastLines('system enable epp')).toEqual(['enabled system epp', certificate]);
});

test('registrar show names the users that are disabled', async () => {
  const registry = await tool.newRegistry('ALPHA');
  for (const name of ['ats', 'mari'])
    await registry.done(`api-user add --registrar ALPHA --username ${name}`);
  await registry.done('api-user disable mari');
  const { stdout } = await registry.run('registrar show ALPHA');
  expect(stdout).toContain('api_users:             ats, mari (disabled)\n');
  const { registrar } = await registry.done('registrar show ALPHA');
  expect(registrar.api_users).toEqual(['ats', 'mari']);
});
