import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { Faults, passingMessages } from '../attack/faults.ts';
import { captured } from './captured.ts';
import { openKept, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry();

const header = 'name,registrar,registrant,admin,tech\n';
const domains = `${header}oun.ee,ALPHA,ALPHA:1,ALPHA:2 ALPHA:3,ALPHA:2\nõun.ee,BETA,BETA:1,,\nvana.ee,ALPHA,ALPHA:2,,BETA:1\n`;

async function fill(registry: TestRegistry): Promise<void> {
  for (const code of ['ALPHA', 'BETA']) {
    await registry.done(['registrar', 'add', '--code', code, '--name', code]);
  }
  const contacts = ['ALPHA:1', 'ALPHA:2', 'ALPHA:3', 'BETA:1'].map(
    (code) =>
      `${code},${code.split(':')[0]},Jaan Tamm,jaan@example.ee,+372.5123456,12345678,org,EE\n`,
  );
  const columns = 'code,registrar,name,email,phone,ident,ident_type,ident_country_code\n';
  await registry.done('contact import - --registrar ALPHA', columns + contacts.join(''));
}

beforeAll(async () => {
  await fill(registry);
  await registry.done('domain import -', domains);
});

test('an export is what an import reads, and gives the same domains', async () => {
  const { stdout } = await registry.run('domain export');
  expect(stdout).toBe(
    `${header}oun.ee,ALPHA,ALPHA:1,ALPHA:2 ALPHA:3,ALPHA:2\nvana.ee,ALPHA,ALPHA:2,,BETA:1\nõun.ee,BETA,BETA:1,,\n`,
  );
  const unchanged = { created: 0, updated: 0, unchanged: 3, changed: false };
  expect(await registry.done('domain import -', stdout)).toMatchObject(unchanged);
  const file = path.join(await tool.newDirectory(), 'alpha.csv');
  expect(await registry.done(['domain', 'export', file, '--registrar', 'ALPHA'])).toEqual({
    file,
    rows: 2,
  });
  const other = await tool.newRegistry();
  await fill(other);
  await other.done(['domain', 'import', file]);
  const list = ['domain', 'list', '--registrar', 'ALPHA'];
  expect(await other.done(list)).toEqual(await registry.done(list));
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(4);
});

test('an import without a column keeps the contacts of that role, and says which roles it clears', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  await registry.done('domain import -', domains);
  const narrow = 'name,registrar,registrant\noun.ee,ALPHA,ALPHA:1\n';
  const equal = { updated: 0, unchanged: 1, changed: false };
  expect(await registry.done('domain import -', narrow)).toMatchObject(equal);
  const cleared = 'name,registrar,registrant,tech\noun.ee,ALPHA,ALPHA:1,\n';
  const importing = ['domain', 'import', '-'];
  const dry = await registry.run([...importing, '--dry-run'], cleared);
  expect(dry.stdout).toBe(
    'would add 0 domains, change 1, 0 already equal; would remove every tech contact of 1 domain\n',
  );
  expect(await registry.done(importing, cleared)).toMatchObject({
    ...{ updated: 1, admin_cleared: 0, tech_cleared: 1 },
  });
  expect(await registry.done('domain show oun.ee')).toMatchObject({
    domain: { registrant: 'ALPHA:1', admin: ['ALPHA:2', 'ALPHA:3'], tech: [] },
  });
});

test('an import counts the domains whose contacts belong to another registrar', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  const importing = ['domain', 'import', '-'];
  const file = `${header}a.ee,BETA,ALPHA:1,,\nb.ee,ALPHA,ALPHA:1,,BETA:1\nc.ee,BETA,BETA:1,,\n`;
  for (const [option, word] of [
    ['--dry-run', 'would add'],
    ['--yes', 'added'],
  ]) {
    expect((await registry.run([...importing, option!], file)).stdout).toBe(
      `${word} 3 domains, change${option === '--yes' ? 'd' : ''} 0, 0 already equal; 2 domains have contacts of another registrar\n`,
    );
  }
  expect(await registry.done(importing, file)).toMatchObject({ foreign: 2, changed: false });
});

test("lists a registrar's domains with their contacts, or all", async () => {
  const { stdout } = await registry.run('domain list --registrar ALPHA');
  expect(stdout).toBe(
    [
      'NAME     REGISTRAR  REGISTRANT  ADMIN             TECH',
      'oun.ee   ALPHA      ALPHA:1     ALPHA:2, ALPHA:3  ALPHA:2',
      'vana.ee  ALPHA      ALPHA:2     -                 BETA:1\n',
    ].join('\n'),
  );
  expect(await registry.done('domain list --registrar BETA')).toEqual({
    domains: [
      {
        ...{ name: 'õun.ee', punycode_name: 'xn--un-bka.ee', registrar: 'BETA' },
        ...{ registrant: 'BETA:1', admin: [], tech: [] },
      },
    ],
  });
  expect((await registry.done('domain list')).domains).toHaveLength(3);
  expect(await registry.done('domain list --contact alpha:3')).toMatchObject({
    domains: [{ name: 'oun.ee', admin: ['ALPHA:2', 'ALPHA:3'] }],
  });
  expect(await registry.run('domain list --contact nobody:1')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('there is no contact "NOBODY:1"'),
  });
  expect(await registry.run('domain list --registrar GAMMA')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('GAMMA'),
  });
});

test('gives a domain other contacts, with the history of an import', async () => {
  const update = ['domain', 'update', 'oun.ee'];
  const args = [...update, '--admin', 'alpha:3', 'BETA:1', '--tech', ''];
  const dry = await registry.run([...args, '--dry-run']);
  expect(dry.stdout).toBe(
    'would change domain oun.ee: admin: ["ALPHA:2","ALPHA:3"] to ["ALPHA:3","BETA:1"]; tech: ["ALPHA:2"] to []\n',
  );
  const changes = {
    admin: { from: ['ALPHA:2', 'ALPHA:3'], to: ['ALPHA:3', 'BETA:1'] },
    tech: { from: ['ALPHA:2'], to: [] },
  };
  expect(await registry.done(args)).toEqual({
    ...{ name: 'oun.ee', changes, changed: true, request_id: expect.any(String) },
  });
  expect(await registry.done(args)).toEqual({ name: 'oun.ee', changes: {}, changed: false });
  expect(await registry.done([...update, '--registrant', 'ALPHA:3'])).toMatchObject({
    changes: { registrant: { from: 'ALPHA:1', to: 'ALPHA:3' } },
  });
  expect(await registry.done('domain show oun.ee')).toMatchObject({
    domain: { registrant: 'ALPHA:3', admin: ['ALPHA:3', 'BETA:1'], tech: [] },
  });
  const { history } = await registry.done('history domain oun.ee');
  expect(history.toReversed()).toMatchObject([
    { action: 'create' },
    { action: 'update', actor_type: 'operator', changes },
    { action: 'update', changes: { registrant: { from: 'ALPHA:1', to: 'ALPHA:3' } } },
  ]);
});

test.each([
  [['oun.ee'], 2, 'give --registrant, --admin or --tech'],
  [['oun.ee', '--tech', 'ALPHA:9', 'ALPHA:8'], 1, 'refused: there is no contact "ALPHA:8" [tech]'],
  [['oun.ee', '--registrant', ''], 1, 'refused: there is no contact "" [registrant]'],
  [['none.ee', '--tech', ''], 1, 'refused: there is no domain "none.ee" [name]'],
])('refuses to update %j', async (args, status, message) => {
  const ended = await registry.run(['domain', 'update', ...args]);
  expect(ended).toMatchObject({ status, stderr: expect.stringContaining(message) });
});

test('transfers a domain once that is confirmed, and what it prints takes that back', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  await registry.done('domain import -', domains);
  const transfer = 'domain transfer oun.ee --to beta';
  const before = await registry.done('domain show oun.ee');
  expect((await registry.run(`${transfer} --dry-run`)).stdout).toMatch(
    /^would transfer domain oun\.ee from ALPHA to BETA, with copies of 3 contacts\n$/,
  );
  expect(await registry.run(transfer)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('confirm with --yes'),
  });
  expect(await registry.done('domain show oun.ee')).toEqual(before);

  const contacts = async () =>
    (await registry.done('contact list')).contacts.map(({ code }: { code: string }) => code);
  const codes = await contacts();
  const { stderr } = await registry.run(`${transfer} --yes`);
  const [, back] = /; take back: npm run registry -- (.*)\n$/.exec(stderr)!;
  expect(await registry.done('domain show oun.ee')).toMatchObject({
    domain: { registrar: 'BETA', registrant: expect.stringMatching(/^BETA:[0-9A-F]{8}$/) },
  });
  expect(await registry.done(`${transfer} --yes`)).toMatchObject({ copies: {}, changed: false });

  await registry.done(`${back} --yes`);
  expect(await registry.done('domain show oun.ee')).toEqual(before);
  expect(await contacts()).toEqual(codes);
});

test('taking a transfer back leaves the copies that a later transfer has used again', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  await registry.done(
    'domain import -',
    'name,registrar,registrant,tech\na.ee,ALPHA,ALPHA:1,ALPHA:2\nb.ee,ALPHA,ALPHA:1,\n',
  );
  const transfer = (name: string) =>
    registry.done(['domain', 'transfer', name, '--to', 'BETA', '--yes']);
  const { request_id: request, copies } = await transfer('a.ee');
  expect((await transfer('b.ee')).copies).toEqual({ 'ALPHA:1': copies['ALPHA:1'] });
  await registry.done(['history', 'revert', request, '--yes']);
  expect(await registry.done('domain show a.ee')).toMatchObject({
    domain: { registrar: 'ALPHA', registrant: 'ALPHA:1', tech: ['ALPHA:2'] },
  });
  const { contacts } = await registry.done('contact list --registrar BETA');
  expect(contacts).toMatchObject([{ code: copies['ALPHA:1'] }]);
});

test('an import names what stood in the way of new names, and health warns while one has an auction', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  await registry.done('auction start oksjon.ee');
  await registry.done('auction start makstud.ee');
  const paid = ['--status', 'payment_received', '--reason', 'paid', '--yes'];
  await registry.done(['auction', 'correct', 'makstud.ee', ...paid]);
  await registry.done('retained add keeld.ee --status blocked');
  await registry.done('retained add hoitud.ee --status reserved');
  const names = ['oksjon', 'makstud', 'keeld', 'hoitud', 'vaba'];
  const file = header + names.map((name) => `${name}.ee,ALPHA,ALPHA:1,,\n`).join('');
  const importing = ['domain', 'import', '-'];
  const obstacles = ['hoitud.ee" is reserved', 'keeld.ee" is blocked'];
  const all = [...obstacles, 'makstud.ee" has a paid auction', 'oksjon.ee" is in auction'];
  const dry = await registry.run([...importing, '--dry-run'], file);
  expect(dry.stdout).toBe(
    [
      'would add 5 domains, change 0, 0 already equal',
      ...all.map((words) => `although "${words}`),
      '',
    ].join('\n'),
  );
  const done = await registry.done(importing, file);
  expect(done).toMatchObject({ created: 5, obstacles: all.map((words) => `"${words}`) });
  expect(await registry.done(importing, file)).not.toHaveProperty('obstacles');
  const warned = async () => {
    const { stdout } = await registry.run('health --json');
    const alarms: { alarm: string; message: string }[] = JSON.parse(stdout).alarms;
    return alarms
      .filter(({ alarm }) => alarm === 'auction_of_domain')
      .map(({ message }) => message.replace('npm run registry --', 'PROGRAM'))
      .map((message) => message.replace(`--persist-to ${registry.directory}`, 'PLACE'));
  };
  expect(await warned()).toEqual([
    'oksjon.ee is a registered domain, and has an auction with the status started (PROGRAM name oksjon.ee PLACE).',
    'makstud.ee is a registered domain, and has an auction with the status payment_received (PROGRAM name makstud.ee PLACE).',
  ]);
  const mistake = ['--reason', 'registered elsewhere', '--yes'];
  await registry.done(['auction', 'cancel', 'oksjon.ee', ...mistake]);
  await registry.done(['auction', 'correct', 'makstud.ee', '--status', 'no_bids', ...mistake]);
  expect(await warned()).toEqual([]);
});

test('while it is disputed, a domain gets no other person by an update, an import or a revert', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  await registry.done('domain import -', domains);
  const person = 'ALPHA:9,ALPHA,Mari Maasikas,mari@example.ee,+372.5123456,38001085718,priv,EE\n';
  const columns = 'code,registrar,name,email,phone,ident,ident_type,ident_country_code\n';
  await registry.done('contact import - --registrar ALPHA', columns + person);
  await registry.done('domain update oun.ee --registrant ALPHA:9');
  const { history } = await registry.done(['history', 'domain', 'oun.ee']);
  const { request_id: request } = history[0];
  await registry.done('dispute open oun.ee --first-day 2020-01-01');
  const refusal = 'refused: "oun.ee" is disputed [registrant]\n';
  for (const [command, file] of [
    ['domain update oun.ee --registrant ALPHA:2'],
    ['domain update oun.ee --registrant ALPHA:2 --dry-run'],
  ]) {
    expect((await registry.run(command!, file)).stderr).toContain(refusal);
  }
  const changed = await registry.run(['domain', 'import', '-', '--dry-run'], domains);
  expect(changed.stderr).toContain(
    'refused: standard input:2: "oun.ee" is disputed [registrant]\n',
  );
  const reverted = await registry.run(['history', 'revert', request, '--yes']);
  expect(reverted.stderr).toContain(refusal);
  await registry.done('domain update oun.ee --admin ALPHA:2');
  await registry.done('dispute close oun.ee --reason settled');
  expect(await registry.done('domain update oun.ee --registrant ALPHA:2')).toMatchObject({
    changed: true,
  });
});

test('an import withstands a passing fault of D1 at each of its calls', async () => {
  const registry = await tool.newRegistry();
  await fill(registry);
  const importing = async (faults: Faults, name: string) => {
    const open: OpenBindings = async (options, access) => {
      const { env, ...others } = await openKept(options, access);
      return { ...others, env: faults.wrap(env) };
    };
    const args = ['domain', 'import', '-', '--persist-to', registry.directory, '--json'];
    const row = `name,registrar,registrant\n${name},ALPHA,ALPHA:1\n`;
    const { stdout } = await captured(() => runProgram(args, open), row);
    return { calls: faults.calls.length, ...JSON.parse(stdout) };
  };
  const { calls } = await importing(new Faults(), 'a.ee');
  const fault = { message: passingMessages[0]!, isDone: false };
  for (let call = 0; call < calls; call++) {
    const faults = new Faults(fault, (one) => one === call);
    expect(await importing(faults, `a${call}.ee`)).toMatchObject({ created: 1 });
  }
});
