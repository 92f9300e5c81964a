import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { beforeAll, expect, test } from 'vitest';
import { loadProgram, runProgram } from '../../src/tool/program.ts';
import { captured, type Fault } from './captured.ts';
import { everyCommand, helpOf, isVerb } from './program.ts';
import { contactHeader, startTool } from './tool.ts';

// The rules that hold for every command, tried on each command that the program has.

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA', 'GAMMA');

/** The arguments with which each command succeeds, with --dry-run added if it writes, and its input. */
const calls: Record<string, [args: string[], input?: string]> = {
  'registrar add': [['--code', 'BETA', '--name', 'Beta']],
  'registrar list': [[]],
  'registrar show': [['ALPHA']],
  'registrar update': [['ALPHA', '--name', 'Other']],
  'registrar suspend': [['ALPHA', '--reason', 'contract ended']],
  'registrar resume': [['ALPHA']],
  'registrar move': [['ALPHA', '--to', 'GAMMA']],
  'registrar diagnose': [['ALPHA', '--username', 'ats', '--ip', '192.0.2.1']],
  'registrar webhook test': [['ALPHA']],
  'registrar webhook list': [[]],
  'registrar webhook resend': [['ALPHA', '--since', '2026-01-01']],
  'registrar webhook drop': [['ALPHA']],
  'api-user add': [['--registrar', 'ALPHA', '--username', 'mari']],
  'api-user rotate': [['ats']],
  'api-user disable': [['ats']],
  'api-user enable': [['ats']],
  'api-user list': [[]],
  'system add': [['shop']],
  'system list': [[]],
  'system update': [['epp', '--may', 'changes']],
  'system rotate': [['epp']],
  'system disable': [['epp']],
  'system enable': [['epp']],
  'system remove': [['epp']],
  'certificate bind': [['--user', 'ats', '--fingerprint', 'b'.repeat(64)]],
  'certificate unbind': [['--user', 'ats', '--fingerprint', 'a'.repeat(64)]],
  'certificate require': [['--user', 'ats']],
  'certificate list': [[]],
  'contact list': [[]],
  'contact looks': [['ALPHA:1']],
  'contact rekey': [[]],
  'contact show': [['ALPHA:1']],
  'contact update': [['ALPHA:1', '--city', 'Tartu']],
  'contact status': [['ALPHA:1', '--add', 'serverUpdateProhibited']],
  'contact demand': [['ALPHA:1', '--claims', 'name', '--by', '2099-01-31']],
  'contact delete': [['ALPHA:2']],
  'contact transfer': [['ALPHA:1', '--to', 'ALPHA']],
  'contact import': [['-', '--registrar', 'ALPHA'], contactHeader],
  'contact export': [['-', '--registrar', 'ALPHA']],
  'contact erase': [['ALPHA:2']],
  'contact erase-again': [[]],
  'disclosure open': [
    [
      ...['--contact', 'ALPHA:1', '--requester', 'Mari', '--identified-by', 'ID card'],
      ...['--organization', 'Police', '--basis', 'case 12-3', '--fields', 'name'],
    ],
  ],
  'disclosure grant': [['1', '--to', 'FILE']],
  'disclosure refuse': [['1', '--reason', 'no basis']],
  'disclosure return': [['1', '--missing', 'the basis']],
  'disclosure list': [[]],
  'disclosure show': [['1']],
  'domain export': [['-']],
  'domain import': [['-'], 'name,registrar,registrant\nb.ee,ALPHA,ALPHA:1\n'],
  'domain list': [['--contact', 'ALPHA:1']],
  'domain show': [['a.ee']],
  'domain remove': [['a.ee']],
  'domain update': [['a.ee', '--registrant', 'ALPHA:2']],
  'domain transfer': [['a.ee', '--to', 'ALPHA']],
  'retained add': [['x.ee', '--status', 'blocked']],
  'retained remove': [['õ.ee', '--status', 'reserved']],
  'retained list': [[]],
  'retained show': [['õ.ee']],
  'retained import': [['-'], 'name,status\nx.ee,blocked\n'],
  'retained export': [['-']],
  'dispute open': [['x.ee', '--first-day', '2026-01-01', '--last-day', '2099-01-01']],
  'dispute close': [['d.ee', '--reason', 'settled']],
  'dispute list': [[]],
  'dispute show': [['d.ee']],
  'dispute export': [['-']],
  'dispute import': [['-'], 'name,first_day,last_day\nx.ee,2026-01-01,2099-01-01\n'],
  'auction start': [['x.ee']],
  'auction list': [[]],
  'auction show': [['k.ee']],
  'auction import': [['-'], 'name\nx.ee\n'],
  'auction cancel': [['k.ee', '--reason', 'by mistake']],
  'auction correct': [['k.ee', '--status', 'awaiting_payment', '--reason', 'wrong name']],
  'auction register': [['UUID', '--code', '0123456789abcdef0123456789abcdef']],
  'lists publish': [[]],
  'lists status': [[]],
  'lists archive': [[]],
  health: [[]],
  name: [['a.ee']],
  'move-in': [['MOVED', '--to', 'FILE']],
  reconcile: [['MOVED', 'BACKUP']],
  'backup write': [['FILE']],
  'backup verify': [['BACKUP']],
  restore: [['BACKUP', '--yes']],
  'history show': [[]],
  'history revert': [['REQUEST']],
};

/** Those that cannot succeed in a registry as small as this one. */
const refused = ['registrar webhook test', 'registrar webhook resend', 'auction register'];
/** Those that have no registry, and so none that is missing. */
const withoutRegistry = ['backup verify', 'restore', 'move-in', 'reconcile'];

// The desk serves pages until it is ended.
const verbs = everyCommand(await loadProgram()).filter(
  (each) => isVerb(each) && each[0] !== 'desk',
);
const places: Record<string, string> = {};
let files = 0;

function flags(command: CommandUnknownOpts): string[] {
  return command.options.map(({ long }) => long ?? '');
}

/** The command line of a call that succeeds, and changes nothing if the command can say what it would change. */
function callOf(name: string, command: CommandUnknownOpts): [string[], string | undefined] {
  const call = calls[name];
  if (!call) throw new Error(`say in this file how ${name} is called`);
  const [args, input] = call;
  files += 1;
  const given = args.map((word) =>
    word === 'FILE' ? `${places.FILE}-${files}` : (places[word] ?? word),
  );
  const dryRun = flags(command).includes('--dry-run') ? ['--dry-run'] : [];
  return [[...name.split(' '), ...given, ...dryRun], input];
}

function run(command: CommandUnknownOpts, args: string[], input?: string, fault?: Fault) {
  if (flags(command).includes('--persist-to')) return registry.run(args, input, fault);
  return captured(() => runProgram(args), input, fault);
}

beforeAll(async () => {
  await registry.done('api-user add --registrar ALPHA --username ats');
  await registry.done('system add epp');
  await registry.done(`certificate bind --user ats --fingerprint ${'a'.repeat(64)}`);
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  const domains = 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n';
  await registry.done('domain import -', domains);
  await registry.done('retained add õ.ee --status reserved');
  const days = ['--first-day', '2026-01-01', '--last-day', '2099-01-01'];
  await registry.done(['dispute', 'open', 'd.ee', ...days]);
  await registry.done('auction start k.ee');
  const [request] = calls['disclosure open']!;
  await registry.done(['disclosure', 'open', ...request]);
  places.FILE = path.join(await tool.newDirectory(), 'file');
  places.BACKUP = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', 'write', places.BACKUP]);
  places.MOVED = path.join(await tool.newDirectory(), 'moved');
  await mkdir(places.MOVED);
  await writeFile(path.join(places.MOVED, 'blocked.csv'), 'name,created_at\n');
  const { history } = await registry.done('history show retained õ.ee');
  places.REQUEST = history[0].request_id;
});

test('every command is tried here', () => {
  expect(Object.keys(calls).sort()).toEqual(verbs.map(([name]) => name).sort());
});

test.each(verbs)(
  '%s answers with one JSON value, or NDJSON if its help says so',
  async (name, command) => {
    const [args, input] = callOf(name, command);
    const { status, stdout, stderr } = await run(command, [...args, '--json'], input);
    const isRefused = refused.includes(name);
    // Nothing has run the cron of this registry.
    if (name !== 'health')
      expect({ status, stderr }).toEqual({ status: isRefused ? 1 : 0, stderr: '' });
    const lines = stdout.split('\n').slice(0, -1);
    if (!/NDJSON/.test(helpOf(command))) expect(lines).toHaveLength(1);
    for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
    expect('errors' in JSON.parse(lines[0]!)).toBe(isRefused);
  },
);

test.each(verbs)('%s refuses in JSON', async (name, command) => {
  const [args, input] = callOf(name, command);
  const wrong = await captured(() => runProgram([...args, '--nope', '--json']), input);
  expect({ ...wrong, stdout: JSON.parse(wrong.stdout) }).toEqual({
    status: 2,
    stdout: { errors: [{ reason: 'usage', message: expect.stringContaining('--nope') }] },
    stderr: '',
  });
  if (withoutRegistry.includes(name)) return;
  const nowhere = await captured(
    () => runProgram([...args, '--json', '--persist-to', '/nonexistent']),
    input,
  );
  expect({ ...nowhere, stdout: JSON.parse(nowhere.stdout) }).toEqual({
    status: 1,
    stdout: {
      errors: [{ reason: 'not_found', message: expect.stringContaining('no local database') }],
    },
    stderr: '',
  });
});

const answering = verbs.filter(([name]) => ![...refused, 'restore'].includes(name));

test.each(answering)(
  '%s ends with 1 where nobody reads its answer, quietly, or where that has no room, and says so',
  async (name, command) => {
    const full = 'failed: standard output cannot be written: ENOSPC\n';
    for (const [fault, stderr] of Object.entries({ EPIPE: '', ENOSPC: full })) {
      const [args, input] = callOf(name, command);
      expect(await run(command, args, input, fault as Fault)).toMatchObject({ status: 1, stderr });
    }
  },
);

test.each(['EPIPE', 'ENOSPC'] as const)(
  'a secret that standard output does not take (%s) is on standard error',
  async (fault) => {
    const args = ['api-user', 'add', '--registrar', 'ALPHA', '--username', `user-${fault}`];
    const { status, stderr } = await registry.run(args, '', fault);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `^done, but could not print:\nadded API user user-${fault} of ALPHA; .*:\n[0-9a-f]{64}\n`,
      ),
    );
  },
);

test.each([
  ['api-user add', (name: string) => `api-user add --registrar ALPHA --username ${name}`],
  ['system add', (name: string) => `system add ${name}`],
])(
  'the secret of %s is on standard error where standard output is closed',
  async (_, commandOf) => {
    const tool = ['src/tool/index.ts', ...commandOf('closed').split(' ')];
    const args = [process.execPath, ...tool, '--persist-to', registry.directory];
    const { status, stderr } = spawnSync('sh', ['-c', '"$@" >&-', 'sh', ...args], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^done, but could not print:\nadded .*:\n[0-9a-f]{64}\n/);
  },
);
