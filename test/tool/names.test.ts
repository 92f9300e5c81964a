import { hash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contactHeader, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

async function published(registry: TestRegistry): Promise<Record<string, number | null>> {
  const { lists } = await registry.done('lists status');
  return Object.fromEntries(
    lists.map(({ list, count }: { list: string; count: number | null }) => [list, count]),
  );
}

test('publishes each change of retained names before it returns', async () => {
  const registry = await tool.newRegistry();
  await registry.done('lists publish');
  const add = ['retained', 'add', 'õ.ee', 'riik.ee', '--status', 'blocked'];
  expect(await registry.done([...add, '--dry-run'])).toMatchObject({ added: 2, changed: false });
  expect((await registry.rows()).retained_domains).toEqual([]);
  expect(await registry.done(add)).toMatchObject({ added: 2, published: ['all', 'blocked'] });
  expect(await registry.done(add)).toMatchObject({ added: 0, unchanged: 2, published: [] });
  expect(await published(registry)).toMatchObject({ all: 2, blocked: 2 });
  await registry.done('retained remove õ.ee --status blocked');
  expect(await published(registry)).toMatchObject({ all: 1, blocked: 1 });
  expect(await registry.done('retained list')).toEqual({
    retained_domains: [
      {
        name: 'riik.ee',
        punycode_name: 'riik.ee',
        status: 'blocked',
        last_day: null,
        comment: null,
      },
    ],
  });
}, 120_000);

test('publishes what a killed command has left of other lists as well', async () => {
  const registry = await tool.newRegistry();
  await registry.done('retained add a.ee --status blocked');
  await registry.done('lists publish');
  registry.edit("delete from retained_domains where name = 'a.ee'");
  const { published: lists } = await registry.done('auction import -', 'name\nk.ee\n');
  expect(lists).toEqual(['auctions', 'all', 'blocked']);
  expect(await published(registry)).toMatchObject({ auctions: 1, all: 0, blocked: 0 });
});

test('makes the list equal to the file with --replace, and leaves the other list alone', async () => {
  const registry = await tool.newRegistry();
  await registry.done('retained import -', 'name,status\na.ee,reserved\nb.ee,reserved\n');
  await registry.done('retained add c.ee --status blocked');
  const replace = ['retained', 'import', '-', '--status', 'reserved', '--replace'];
  const names = 'name\nb.ee\nõ.ee\n';
  const counts = { added: 1, removed: 1, unchanged: 1 };
  expect(await registry.done([...replace, '--dry-run'], names)).toMatchObject(counts);
  expect(await published(registry)).toMatchObject({ all: 3, reserved: 2 });
  expect(await registry.done(replace, names)).toMatchObject(counts);
  const { stdout } = await registry.run('retained export');
  expect(stdout).toBe(
    'name,status,password,last_day,comment\nb.ee,reserved,,,\nc.ee,blocked,,,\nõ.ee,reserved,,,\n',
  );
  const again = await tool.newRegistry();
  expect(await again.done('retained import -', stdout)).toMatchObject({ added: 3 });
}, 120_000);

test.each([
  ['a\tb', ': contains an invisible character (U+0009)'],
  ['a'.repeat(256), ''],
])(
  'refuses a password that no registration can give',
  async (password, cause) => {
    const registry = await tool.newRegistry();
    const file = `name,status,password\na.ee,reserved,${password}\n`;
    const { status, stderr } = await registry.run('retained import -', file);
    expect(status).toBe(1);
    expect(stderr).toContain(`:2: is not a text of 1 to 255 characters${cause} [password]`);
    const spaced = 'name,status,password\na.ee,reserved, so\u0303na \n';
    await registry.done('retained import -', spaced);
    expect(await registry.done('retained show a.ee')).toMatchObject({
      retained_domains: [{ password: 'sõna' }],
    });
  },
  120_000,
);

test('does not take a password that a registration has used up, and says so', async () => {
  const registry = await tool.newRegistry();
  const importing = ['retained', 'import', '-'];
  const file = 'name,status,password\na.ee,reserved,vana\n';
  await registry.done(importing, file);
  const used = hash('sha256', 'vana', 'hex');
  registry.edit(`update retained_domains set password = 'new', used_passwords = '${used}'`);
  const { stdout } = await registry.run(importing, file);
  expect(stdout).toContain('did not take 1 password that a registration has used up');
  expect(await registry.done('retained show a.ee')).toMatchObject({
    retained_domains: [{ password: 'new' }],
  });
}, 120_000);

test('takes and shows the passwords and last days of reserved names', async () => {
  const registry = await tool.newRegistry();
  const file =
    'name,status,password,last_day,comment\na.ee,reserved,salasõna,2099-12-31,\nb.ee,blocked,,,court order 5\n';
  const importing = ['retained', 'import', '-'];
  expect(await registry.done(importing, file)).toMatchObject({ added: 2 });
  expect((await registry.run('retained export')).stdout).toBe(file);
  const { stdout } = await registry.run('retained list');
  expect(stdout).toMatch(/^a.ee +a.ee +reserved +2099-12-31$/m);
  expect(stdout).not.toContain('salasõna');
  expect(await registry.done('retained show a.ee')).toMatchObject({
    retained_domains: [{ status: 'reserved', password: 'salasõna', last_day: '2099-12-31' }],
  });
  const later = file.replace('2099', '2098');
  expect((await registry.run(importing, later)).stdout).toMatch(
    /^added 0 names, updated 1, 1 already there\b/,
  );
  const wrong = 'name,status,password,last_day\nc.ee,blocked,x,\nd.ee,reserved,,2026-02-30\n';
  expect((await registry.run(importing, wrong)).stderr).toBe(
    'refused: standard input:2: a blocked name has no password [password]\n' +
      'refused: standard input:3: "2026-02-30" is not a day in the calendar; write it like 2026-01-31 [last_day]\n',
  );
}, 120_000);

test.each([[[]], [['--replace', '--yes']]])(
  'leaves out and counts reserved names whose last day is over, with options %j',
  async (options) => {
    const registry = await tool.newRegistry();
    const importing = ['retained', 'import', '-', ...options];
    const file = 'name,status,last_day\na.ee,reserved,2020-12-31\nb.ee,reserved,2099-12-31\n';
    const { stdout } = await registry.run(importing, file);
    expect(stdout).toContain('1 name ');
    expect(stdout).toContain('; left out 1 name whose last day is over');
    expect((await registry.rows()).retained_domains).toMatchObject([{ name: 'b.ee' }]);
    expect(await registry.done(importing, file)).toMatchObject({ unchanged: 1, changed: false });
  },
  120_000,
);

test('never takes a row that it skips for a name to remove', async () => {
  const registry = await tool.newRegistry();
  await registry.done('retained add linn.ee riik.ee --status reserved');
  const replace = ['--replace', '--skip-invalid', '--yes'];
  for (const [noun, file] of [
    ['retained', 'name,status\nriik.ee,reserved\nLinn.ee,reserved\n'],
    ['domain', 'name,registrar,registrant\n'],
  ] as const) {
    const { status, stderr } = await registry.run([noun, 'import', '-', ...replace], file);
    expect(status).toBe(2);
    expect(stderr).toContain("option '--replace' cannot be used with option '--skip-invalid'");
  }
  expect((await registry.rows()).retained_domains).toHaveLength(2);
}, 120_000);

test('a name of an earlier release that is none any more is listed, published and removed, and comes back', async () => {
  const registry = await tool.newRegistry();
  await registry.done('retained add firma.ee --status blocked');
  registry.edit(`
    update retained_domains set name = 'ﬁrma.ee', punycode = 'xn--rma-bo3s.ee';
    create temp table entry as select * from history;
    update entry set id = null, subject_key = 'ﬁrma.ee';
    insert into history select * from entry;
  `);
  const names = [{ name: 'ﬁrma.ee', punycode_name: 'xn--rma-bo3s.ee', status: 'blocked' }];
  expect(await registry.done('retained list')).toMatchObject({ retained_domains: names });
  expect(await registry.done('retained show ﬁrma.ee')).toMatchObject({ retained_domains: names });
  expect(await registry.done('name xn--rma-bo3s.ee')).toMatchObject({ retained_domains: names });
  expect((await registry.run('retained show ﬁrma².ee')).stderr).toContain(
    'Did you mean "firma2.ee"?',
  );
  const removal = await registry.done('retained remove ﬁrma.ee --status blocked');
  expect(removal).toMatchObject({ removed: 1, published: ['all', 'blocked'] });
  await registry.done(['history', 'revert', removal.request_id, '--yes']);
  expect(await registry.done('retained list')).toMatchObject({ retained_domains: names });
  expect(await published(registry)).toMatchObject({ all: 1, blocked: 1 });
  expect(await registry.done('health')).toMatchObject({ database: {} });
}, 120_000);

test('refuses what is no name, and asks for the one that is meant', async () => {
  const registry = await tool.newRegistry();
  for (const command of ['retained add ﬁrma.ee --status blocked', 'auction start ﬁrma.ee']) {
    const { status, stderr } = await registry.run(command);
    expect(status).toBe(1);
    expect(stderr).toContain('Did you mean "firma.ee"?');
  }
  const { stderr } = await registry.run('auction import -', 'name\nﬁrma.ee\n');
  expect(stderr).toContain('Did you mean "firma.ee"?');
}, 120_000);

test('starts auctions of a platform', async () => {
  const registry = await tool.newRegistry();
  const start = ['auction', 'start', 'kohv.ee', '--platform', 'english'];
  expect(await registry.done(start)).toMatchObject({ started: 1, platform: 'english' });
  expect(await registry.done('auction list')).toMatchObject({
    auctions: [{ domain: 'kohv.ee', platform: 'english' }],
  });
  expect(await registry.run(['auction', 'start', 'tee.ee', '--platform', ' '])).toMatchObject({
    status: 1,
    stderr: 'refused: " " is not a text of 1 to 50 characters [platform]\n',
  });
}, 120_000);

test('opens and closes disputes, and publishes the list', async () => {
  const registry = await tool.newRegistry();
  await registry.done('lists publish');
  const open = ['dispute', 'open', 'õ.ee', '--first-day', '2020-01-01', '--last-day', '2099-12-31'];
  expect(await registry.done(open)).toMatchObject({ published: ['all', 'disputed'] });
  expect(await published(registry)).toMatchObject({ all: 1, disputed: 1 });
  const { disputes } = await registry.done('dispute list');
  expect(disputes).toMatchObject([{ name: 'õ.ee', state: 'in force' }]);
  await registry.done('dispute close õ.ee --reason settled');
  expect(await published(registry)).toMatchObject({ all: 0, disputed: 0 });
  const days = (from: string, until: string) =>
    registry.run(['dispute', 'open', 'ä.ee', '--first-day', from, '--last-day', until]);
  expect(await days('2026-02-30', '2026-03-01')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('"2026-02-30" is not a day in the calendar'),
  });
  expect(await days('2026-03-02', '2026-03-01')).toMatchObject({ status: 1 });
}, 120_000);

test('publishes what is behind, such as lists that never were published', async () => {
  const registry = await tool.newRegistry();
  const all = ['auctions', 'all', 'reserved', 'blocked', 'disputed'];
  expect(await registry.done('lists publish --dry-run')).toMatchObject({ behind: all });
  expect(await registry.done('lists publish')).toMatchObject({ published: all });
  expect(await registry.done('lists publish')).toMatchObject({ published: [] });
}, 120_000);

test('understands the names and codes of a command line in any spelling, and says how', async () => {
  const registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'Alpha', '--name', 'Alpha OÜ']);
  expect(await registry.done(['registrar', 'show', 'alpha'])).toMatchObject({
    registrar: { code: 'ALPHA' },
  });
  const names = ['Tallinn.ee', 'xn--unaaed-oxa.ee'];
  const added = await registry.run(['retained', 'add', ...names, '--status', 'reserved']);
  expect(added.stderr).toMatch(
    /^Tallinn\.ee is understood as tallinn\.ee\nxn--unaaed-oxa\.ee is understood as õunaaed\.ee\nrequest .*\n$/,
  );
  expect(await registry.done(['retained', 'show', 'ÕUNAAED.ee'])).toMatchObject({
    retained_domains: [{ name: 'õunaaed.ee' }],
  });
  expect(await registry.done(['history', 'retained', 'TALLINN.ee'])).toMatchObject({
    history: [{ key: 'tallinn.ee' }],
  });
});

test('refuses an identity code for a contact, and says how to find its contacts', async () => {
  const { status, stderr } = await (await tool.newRegistry()).run('contact erase 38001085718');
  expect(status).toBe(2);
  expect(stderr).toMatch(/identity code.*contact list --ident 38001085718/);
});

test('says in a sentence what is true of a name, who holds it, and what an address is understood as', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const person = 'ALPHA:TAMM,Jaan Tamm,jaan@tamm.example,+372.5551234,38001085718,priv,EE';
  await registry.done('contact import - --registrar ALPHA', `${contactHeader}${person}\n`);
  await registry.done('domain import -', 'name,registrar,registrant\ntamm.ee,ALPHA,ALPHA:TAMM\n');
  const time = '\\w{3} \\d+ \\w+ \\d{4}, \\d\\d:\\d\\d UTC \\(now\\)';
  const holder = 'and held by Jaan Tamm \\(ALPHA:TAMM\\)\\.';
  const sentence = new RegExp(
    `^tamm.ee is registered with Alpha OÜ \\(ALPHA\\), ${holder} It is on record here since ${time}\\.\\n`,
  );
  for (const text of ['www.tamm.ee', 'https://www.tamm.ee/page?q=1', 'info@tamm.ee', 'TAMM.ee']) {
    const { stdout, stderr } = await registry.run(['name', text]);
    expect(stdout).toMatch(sentence);
    expect(stderr).toBe(`${text} is understood as tamm.ee\n`);
  }
  await registry.done('retained import -', 'name,status,last_day\na.ee,reserved,2099-12-31\n');
  expect((await registry.run('name a.ee')).stdout).toContain(
    'a.ee is reserved; the last day of this is 31 Dec 2099. ' +
      'Its registration is refused now: "a.ee" is reserved.\n',
  );
  await registry.done('retained import -', 'name,status,password\nc.ee,reserved,sesame\n');
  expect((await registry.run('name c.ee')).stdout).toContain(
    'c.ee is reserved. Its registration needs the password of the reservation now.\n',
  );
  const none =
    'b.ee is not registered here, and on none of the lists. Nothing here prevents its registration.\n';
  expect((await registry.run('name b.ee')).stdout).toBe(none);
  vi.stubEnv('ZONES', 'ee');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await registry.run('name www.b.ee')).stdout).toBe(none);
  expect((await registry.run('name b.com')).stdout).toBe(
    'b.com is not registered here, and on none of the lists. ' +
      'Its registration is refused now: "b.com" is not in a zone of this registry (ee).\n',
  );
}, 120_000);
