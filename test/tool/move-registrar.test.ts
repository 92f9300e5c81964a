import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { operator, verification } from '../support/fixtures.ts';
import { captured } from './captured.ts';
import { contactHeader, openKept, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

const line = (code: string) =>
  `${code},Jaan ${code.replace(':', ' ')},${code.slice(-1)}@example.ee,+372.5123456,1000${code.slice(-1)},priv,LV\n`;

/**
 * ALPHA has two domains with two of its contacts, and one of GAMMA. Its contact 3 has a domain of GAMMA, too, 4 has none,
 * and 5 is locked.
 */
async function newRegistry(): Promise<TestRegistry> {
  const registry = await tool.newRegistry('ALPHA', 'BETA', 'GAMMA');
  const own = ['1', '2', '3', '4', '5'].map((n) => line(`ALPHA:${n}`));
  await registry.done('contact import - --registrar ALPHA', contactHeader + own.join(''));
  await registry.done('contact import - --registrar GAMMA', contactHeader + line('GAMMA:6'));
  await registry.done(
    'domain import -',
    `name,registrar,registrant,tech
a.ee,ALPHA,ALPHA:1,ALPHA:2 GAMMA:6
b.ee,ALPHA,ALPHA:1,ALPHA:3 ALPHA:5
c.ee,GAMMA,GAMMA:6,ALPHA:3
`,
  );
  const lock = ['--add', 'serverDeleteProhibited', '--note', 'court'];
  await registry.done(['contact', 'status', 'ALPHA:5', ...lock]);
  return registry;
}

const move = 'registrar move ALPHA --to BETA';
const codesOf = async (registry: TestRegistry, registrar: string): Promise<string[]> =>
  (await registry.done(`contact list --registrar ${registrar}`)).contacts.map(
    ({ code }: { code: string }) => code,
  );

test('a dry run counts what the move does then, and lists what stays', async () => {
  const registry = await newRegistry();
  const stay = [{ code: 'ALPHA:3', domain: 'c.ee', registrar: 'GAMMA' }];
  const numbers = { domains: 2, replaced: 5, handed_over: 1, deleted: 3, stay };
  expect(await registry.done(`${move} --dry-run`)).toEqual({ ...numbers, changed: false });
  const done = await registry.done(`${move} --yes`);
  expect(done).toEqual({ ...numbers, changed: true, request_id: expect.any(String) });

  expect(await codesOf(registry, 'ALPHA')).toEqual(['ALPHA:3']);
  const { domains } = await registry.done('domain list --registrar BETA');
  const copy = expect.stringMatching(/^BETA:/);
  expect(domains).toMatchObject([
    { name: 'a.ee', registrant: copy, tech: [copy, copy] },
    { name: 'b.ee', registrant: copy, tech: [copy, copy] },
  ]);
  // One for each of the five of ALPHA, and one of GAMMA.
  expect(await codesOf(registry, 'BETA')).toHaveLength(6);
  const { history } = await registry.rows();
  const ofMove = history!.filter(
    (entry) => (entry as { request_id: string }).request_id === done.request_id,
  );
  // Five copies, two domains, a handover and three deletions.
  expect(ofMove).toHaveLength(11);
});

/** Two equal contacts of ALPHA, copies of one of GAMMA: the first was another when the second was made. */
async function withEqualCopies(between: number) {
  const registry = await tool.newRegistry('ALPHA', 'BETA', 'GAMMA');
  await registry.done('contact import - --registrar GAMMA', contactHeader + line('GAMMA:6'));
  const names = ['a.ee', 'b.ee'];
  const rows = names.map((name) => `${name},GAMMA,GAMMA:6\n`);
  await registry.done('domain import -', `name,registrar,registrant\n${rows.join('')}`);
  await registry.done('domain transfer a.ee --to ALPHA --yes');
  const [first] = await codesOf(registry, 'ALPHA');
  await registry.done(['contact', 'update', first!, '--phone', '+372.777']);
  if (between > 0)
    await registry.addContacts(...Array.from({ length: between }, (_, n) => `ALPHA:O${n}`));
  await registry.done('domain transfer b.ee --to ALPHA --yes');
  await registry.done(['contact', 'update', first!, '--phone', '+372.5123456']);
  return registry;
}

test.each([
  ['one has a domain', 0, ['b.ee'], { replaced: 1, handed_over: 0, deleted: 2 }],
  ['none has one', 0, ['a.ee', 'b.ee'], { replaced: 0, handed_over: 1, deleted: 1 }],
  [
    'another batch comes to one',
    250,
    ['a.ee', 'b.ee'],
    { replaced: 0, handed_over: 251, deleted: 1 },
  ],
])(
  'two equal copies become one, as the dry run counts, if %s',
  async (_, between, gone, numbers) => {
    const registry = await withEqualCopies(between);
    for (const name of gone) await registry.done(`domain remove ${name} --yes`);
    expect(await registry.done(`${move} --dry-run`)).toMatchObject(numbers);
    expect(await registry.done(`${move} --yes`)).toMatchObject(numbers);
    expect(await codesOf(registry, 'BETA')).toHaveLength(between + 1);
  },
);

test('without --yes it asks, and says what it would do and whether ALPHA is suspended', async () => {
  const registry = await newRegistry();
  const { status, stderr } = await registry.run(move);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `refused: would transfer 2 domains, with copies of 5 contacts; would hand over 1 contact; would delete 3 that copies have replaced
1 contact would stay, see npm run registry -- registrar move ALPHA --to BETA --dry-run --persist-to ${registry.directory}
note: ALPHA is not suspended, so it can still add domains and contacts
This moves ALPHA to BETA, and can't be taken back as a whole. There is no terminal to ask on; confirm with --yes
`,
  );
  expect(await codesOf(registry, 'ALPHA')).toHaveLength(5);
});

test('a repetition lists what stays, and finds nothing to move', async () => {
  const registry = await newRegistry();
  await registry.done(`${move} --yes`);
  const { stdout, status } = await registry.run(`${move} --yes`);
  expect({ stdout, status }).toEqual({
    stdout: `nothing to move
ALPHA:3 stays: c.ee of GAMMA uses it
note: ALPHA is not suspended, so it can still add domains and contacts
`,
    status: 0,
  });
});

test('a contact that stays goes with the next move, once nothing keeps it', async () => {
  const registry = await newRegistry();
  await registry.done(`${move} --yes`);
  // There and back, GAMMA gets a copy of its own.
  await registry.done('domain transfer c.ee --to ALPHA --yes');
  await registry.done('domain transfer c.ee --to GAMMA --yes');
  expect(await registry.done(`${move} --yes`)).toMatchObject({ deleted: 2, stay: [] });
  expect(await codesOf(registry, 'ALPHA')).toEqual([]);
  expect(await codesOf(registry, 'BETA')).toHaveLength(6);
});

test.each([
  ['ALPHA', 'ALPHA is the registrar that ends [to]'],
  ['DELTA', 'there is no registrar "DELTA" [to]'],
])('refuses to move to %s', async (to, message) => {
  const registry = await tool.newRegistry('ALPHA');
  for (const option of ['--yes', '--dry-run']) {
    const { status, stderr } = await registry.run(`registrar move ALPHA --to ${to} ${option}`);
    expect({ status, stderr }).toEqual({ status: 1, stderr: `refused: ${message}\n` });
  }
});

test('says that the other registrar is suspended', async () => {
  const registry = await newRegistry();
  for (const code of ['ALPHA', 'BETA']) {
    await registry.done(['registrar', 'suspend', code, '--reason', 'fraud']);
  }
  const { stdout } = await registry.run(`${move} --dry-run`);
  expect(stdout.split('\n').slice(2)).toEqual(['note: BETA is suspended', '']);
});

test('the open demand of a contact that a copy replaces goes to the copy, whose registrar is notified', async () => {
  const registry = await newRegistry();
  const demand = { claims: ['identity'], by: '2099-01-31' };
  const demanding = ['contact', 'demand', 'ALPHA:1', '--claims', 'identity', '--by', demand.by];
  await registry.done(demanding);
  await registry.done(`${move} --yes`);
  const { domain } = await registry.done('domain show a.ee');
  const { contact } = await registry.done(['contact', 'show', domain.registrant]);
  expect(contact.verification_demand).toEqual(demand);
  const { notifications } = await registry.rows();
  const told = notifications!.filter(
    (one) => (one as { subject_key: string }).subject_key === domain.registrant,
  );
  expect(told).toMatchObject([
    { registrar_id: 2, event: 'contact.updated', cause: 'transfer' },
    { registrar_id: 2, event: 'contact.updated', cause: 'transfer' },
    {
      registrar_id: 2,
      event: 'contact.verification_required',
      text: `Contact ${domain.registrant} must be verified by 2099-01-31: identity; 2 domains refer to it`,
    },
  ]);
});

test('a copy with an open demand is asked for both, by the earlier day; a met one goes', async () => {
  const registry = await newRegistry();
  await registry.done('domain transfer b.ee --to BETA --yes');
  const { domain } = await registry.done('domain show b.ee');
  const demand = (code: string, claims: string, by: string) =>
    registry.done(`contact demand ${code} --claims ${claims} --by ${by}`);
  await demand('ALPHA:1', 'identity', '2099-01-31');
  await demand(domain.registrant, 'email', '2098-01-31');
  const { contacts: copies } = await registry.done('contact list --registrar BETA');
  const met = copies.find(({ name }: { name: string }) => name === 'Jaan ALPHA 5').code;
  await demand('ALPHA:5', 'identity', '2099-01-31');
  await demand(met, 'phone', '2098-01-31');
  const check = JSON.stringify(verification({ verified_by: null }));
  registry.edit(
    `update contacts set phone_verification = '${check}' where code in ('${met}', 'ALPHA:5')`,
  );
  await registry.done(`${move} --yes`);
  const demandOf = async (code: string) =>
    (await registry.done(['contact', 'show', code])).contact.verification_demand;
  expect(await demandOf(domain.registrant)).toEqual({
    claims: ['identity', 'email'],
    by: '2098-01-31',
  });
  expect(await demandOf(met)).toEqual({ claims: ['identity'], by: '2099-01-31' });
});

test('tells a registrar that ends which contact has replaced its own, and whose contacts these are now', async () => {
  const registry = await newRegistry();
  await registry.done(`${move} --yes`);
  const { notifications } = await registry.rows();
  const deleted = notifications!.filter(
    (one) => (one as { event: string }).event === 'contact.deleted',
  );
  const told = { registrar_id: 1, cause: 'transfer', fields: '[]' };
  const replaced = (code: string) => ({
    ...told,
    subject_key: code,
    text: expect.stringMatching(
      `^Contact ${code} has been deleted by registry, because BETA:[0-9A-F]{8} has replaced it$`,
    ),
  });
  expect(deleted).toMatchObject([
    {
      ...told,
      subject_key: 'ALPHA:4',
      text: 'Contact ALPHA:4 has been transferred from ALPHA to BETA by registry',
    },
    replaced('ALPHA:1'),
    replaced('ALPHA:2'),
    replaced('ALPHA:5'),
  ]);
});

test('a disputed domain goes along with its person', async () => {
  const registry = await newRegistry();
  await registry.done('dispute open a.ee --first-day 2020-01-01 --last-day 2099-01-01');
  await registry.done(`${move} --yes`);
  const { domain } = await registry.done('domain show a.ee');
  const { contact } = await registry.done(['contact', 'show', domain.registrant]);
  expect([domain.registrar, contact.name]).toEqual(['BETA', 'Jaan ALPHA 1']);
});

test('hands over a contact that differs from the copy of an earlier transfer', async () => {
  const registry = await newRegistry();
  await registry.done('domain transfer b.ee --to BETA --yes');
  await registry.done('domain update b.ee --registrant GAMMA:6');
  await registry.done('contact update ALPHA:2 --phone +372.777');
  await registry.done('domain update a.ee --tech ALPHA:1');
  await registry.done(['contact', 'update', 'ALPHA:1', '--phone', '+372.777']);
  await registry.done(`${move} --yes`);
  expect(await codesOf(registry, 'ALPHA')).toEqual(['ALPHA:3']);
  const { contacts } = await registry.done('contact list --registrar BETA');
  const phones = contacts
    .filter(({ name }: { name: string }) => name === 'Jaan ALPHA 1')
    .map(({ phone }: { phone: string }) => phone);
  expect(phones).toEqual(['+372.5123456', '+372.777']);
});

test('a move that has come to the contacts is refused by history revert, and prints no such command', async () => {
  const registry = await newRegistry();
  const { stderr } = await registry.run(`${move} --yes`);
  expect(stderr).not.toContain('take back');
  const [, request] = /request (\S+)\n$/.exec(stderr)!;
  const reverted = await registry.run(['history', 'revert', request!, '--yes']);
  expect(reverted.status).toBe(1);
  expect(reverted.stderr).toContain(
    'refused: update contact ALPHA:4: the history does not have the values of auth_info',
  );
});

test('a move of many domains that has come to the contacts prints no command that takes it back', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.addContacts('ALPHA:1');
  const rows = Array.from({ length: 120 }, (_, n) => `nimi${n}.ee,ALPHA,ALPHA:1\n`);
  await registry.done('domain import -', `name,registrar,registrant\n${rows.join('')}`);
  const { stderr } = await registry.run(`${move} --yes`);
  expect(stderr).toMatch(/\nrequest \S+\n$/);
});

test('names the command that takes a domain which came meanwhile, and it works', async () => {
  const registry = await newRegistry();
  let batches = 0;
  const open: OpenBindings = async (options, access) => {
    const { env, ...others } = await openKept(options, access);
    const late = { ...parseDomainName('uus.ee'), registrar: 'ALPHA', registrant: 'ALPHA:4' };
    const DB = {
      prepare: env.DB.prepare.bind(env.DB),
      async batch(statements: D1PreparedStatement[]) {
        batches += 1;
        // The first one reads the domains' contacts.
        if (batches === 2)
          await importDomains({ db: openDatabase(env.DB), origin: operator }, [late]);
        return env.DB.batch(statements);
      },
    };
    return { env: { ...env, DB: DB as unknown as D1Database }, ...others };
  };
  const args = [...move.split(' '), '--persist-to', registry.directory, '--yes'];
  const { stdout } = await captured(() => runProgram(args, open));
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    'ALPHA:3 stays: c.ee of GAMMA uses it',
    'ALPHA:4 stays: uus.ee of ALPHA uses it',
    `1 domain has come to ALPHA meanwhile: npm run registry -- ${args.slice(0, -1).join(' ')}`,
  ]);
  expect(await registry.done(`${move} --yes`)).toMatchObject({ domains: 1, deleted: 1 });
});
