import { beforeAll, expect, test } from 'vitest';
import { loadProgram } from '../../src/tool/program.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');
let uuid: string;

beforeAll(async () => {
  await registry.addContacts('ALPHA:1');
  const ident = "ident = '38001085718', ident_key = '38001085718', ident_country_code = 'EE'";
  registry.edit(`update contacts set ${ident}`);
  const { contacts } = await registry.done('contact list');
  uuid = contacts[0].uuid;
  registry.edit(
    `insert into desk_looks (looked_at, looked_by, subject, key) values ('2026-01-01T00:00:00.000Z', 'kati@r.example', 'contact', '${uuid}')`,
  );
  await registry.done('api-user add --registrar ALPHA --username mati');
  await registry.done('registrar update ALPHA --webhook https://hooks.alpha.ee/in');
  await registry.done('contact update ALPHA:1 --city Tartu');
  await registry.done('domain import -', 'name,registrar,registrant\nkohv.ee,ALPHA,ALPHA:1\n');
  await registry.done('auction start oks.ee');
  await registry.done('retained add tee.ee --status reserved');
  await registry.done('dispute open piip.ee --first-day 2026-01-01');
  await registry.done([
    ...['disclosure', 'open', '--contact', 'ALPHA:1', '--requester', 'Mati', '--basis', 'case 1'],
    ...['--identified-by', 'ID card', '--organization', 'Police', '--fields', 'name'],
  ]);
});

test.each([
  'EE 38001085718',
  'EE38001085718',
  'PNOEE-38001085718',
  ' 38001085718\u00a0',
  '\u202a38001085718\u202c',
])('finds the contacts of a person whose code is pasted as %j', async (ident) => {
  const { contacts } = await registry.done(['contact', 'list', '--ident', ident]);
  expect(contacts.map(({ code }: { code: string }) => code)).toEqual(['ALPHA:1']);
});

/** Each command that reads with what it looks up, of which the last word is pasted. */
const lookUps: Record<string, string[]> = {
  'api-user list': ['--registrar ALPHA'],
  'auction list': ['--status started'],
  'auction show': ['oks.ee'],
  'contact export': ['--registrar ALPHA'],
  'contact list': ['--registrar ALPHA', '--ident 38001085718', '--email EMAIL', '--name NAME'],
  'contact looks': ['ALPHA:1', 'UUID'],
  'contact show': ['alpha:1'],
  'disclosure list': ['--contact ALPHA:1'],
  'disclosure show': ['1'],
  'dispute show': ['piip.ee'],
  'domain export': ['--registrar ALPHA'],
  'domain list': ['--registrar ALPHA', '--contact ALPHA:1'],
  'domain show': ['kohv.ee'],
  'history show': [
    ...['registrar ALPHA', 'contact UUID', 'api-user mati', 'auction oks.ee', 'domain kohv.ee'],
    ...['--since 2026-01-01', '--until 2099-01-01', '--by ACTOR', '--request ID', '--last 2'],
  ],
  name: ['kohv.ee'],
  'registrar diagnose': [
    'ALPHA',
    '--username mati',
    '--ip 192.0.2.7',
    `--fingerprint ${'a'.repeat(64)}`,
  ],
  'registrar show': ['ALPHA'],
  'registrar webhook list': ['ALPHA', '--limit 5'],
  'retained export': ['--status reserved'],
  'retained list': ['--status reserved'],
  'retained show': ['tee.ee'],
};

test('every command that only reads finds what is pasted', async () => {
  const { history } = await registry.done('history registrar ALPHA');
  const { contacts } = await registry.done('contact list');
  const values: Record<string, string> = {
    UUID: uuid,
    ID: history[0].request_id,
    EMAIL: contacts[0].email,
    NAME: contacts[0].name,
    ACTOR: history[0].actor,
  };
  const failures: string[] = [];
  for (const [command, all] of Object.entries(lookUps)) {
    for (const one of all) {
      const words = one.split(' ').map((word) => values[word] ?? word);
      const rest =
        command === 'registrar diagnose'
          ? [
              ...(one === 'ALPHA' ? [] : ['ALPHA']),
              ...(/username/.test(one) ? [] : ['--username', 'mati']),
              ...(/--ip/.test(one) ? [] : ['--ip', '192.0.2.7']),
            ]
          : [];
      const ask = (last: string) =>
        registry.run([...command.split(' '), ...words.slice(0, -1), last, ...rest], '');
      const plain = await ask(words.at(-1)!);
      const pasted = await ask(`\u202a ${words.at(-1)}\u200b\u00a0`);
      if (plain.stdout === '' || /^there are no|^nothing/.test(plain.stdout))
        failures.push(`${command} ${one} finds nothing: ${plain.stderr}`);
      if (pasted.stdout !== plain.stdout || pasted.status !== plain.status)
        failures.push(`${command} ${one}: ${pasted.stdout}${pasted.stderr}`);
    }
  }
  expect(failures).toEqual([]);
});

test('the table of look-ups has every command that only reads, and each of its arguments and options', async () => {
  // Of paths and the choice of the registry.
  const others = ['--persist-to', '--env', '--url', 'file'];
  const found: Record<string, string[]> = {};
  type Commands = Awaited<ReturnType<typeof loadProgram>>;
  const walk = (command: Commands, path: string[]) => {
    for (const one of command.commands) walk(one as Commands, [...path, one.name()]);
    const options = command.options.filter(({ required, optional }) => required || optional);
    const names = [
      ...command.registeredArguments.map((argument) => argument.name()),
      ...options.map(({ long }) => long!),
    ].filter((name) => !others.includes(name));
    const isReading = command.options.some(({ long }) => long === '--persist-to');
    const isWriting = command.options.some(({ long }) => /--dry-run|--clock/.test(long!));
    if (isReading && !isWriting && names.length > 0) found[path.join(' ')] = names;
  };
  walk(await loadProgram(), []);
  const listed = Object.entries(lookUps).map(([command, all]) => [
    command,
    new Set(all.map((one) => (one.startsWith('--') ? one.split(' ')[0] : 'an argument'))),
  ]);
  const expected = Object.entries(found).map(([command, names]) => [
    command,
    new Set(names.map((name) => (name.startsWith('--') ? name : 'an argument'))),
  ]);
  const sorted = (all: unknown[][]) => all.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  expect(sorted(listed)).toEqual(sorted(expected));
});

test('finds an address that is pasted with its scheme or the name before it', async () => {
  const { contacts } = await registry.done('contact list');
  const { email } = contacts[0];
  for (const pasted of [`mailto:${email}`, `Mari <${email}>`]) {
    const found = await registry.done(['contact', 'list', '--email', pasted]);
    expect({ pasted, found }).toMatchObject({ found: { contacts: [{ code: 'ALPHA:1' }] } });
  }
});

test('reads nothing into what a command would change', async () => {
  const { status } = await registry.run(['contact', 'delete', ' ALPHA:1', '--yes']);
  expect(status).toBe(1);
});

test.each([
  ['contact list --email x@y.ee --registrar beta', '--email "x@y.ee" --registrar "BETA"'],
  ['contact show BETA:9', 'BETA:9'],
  ['registrar webhook list beta', 'BETA'],
  ['registrar show gamma', 'GAMMA'],
  ['auction show none.ee', 'none.ee'],
  ['domain show none.ee', 'none.ee'],
  ['retained show none.ee', 'none.ee'],
  ['dispute show none.ee', 'none.ee'],
  ['disclosure show 99', '99'],
  ['history api-user nobody', 'nobody'],
  ['history --by nobody', 'nobody'],
  ['history --request nothing', 'nothing'],
  ['api-user list --registrar gamma', 'GAMMA'],
  ['registrar diagnose ALPHA --username nobody --ip ::1', 'nobody'],
])('the answer to %s names what was looked for', async (words, sought) => {
  const { stdout, stderr } = await registry.run(words, '');
  expect(stdout + stderr).toContain(sought);
});

test('a miss of a name says whose names are not searched', async () => {
  expect((await registry.run('contact list --name nobody')).stdout).toBe(
    'there are no contacts with --name "nobody"\nnames of deleted contacts and former names are not searched\n',
  );
});
