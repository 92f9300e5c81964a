import { existsSync } from 'node:fs';
import fs, { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setClockAhead } from '../../src/base/time/clock.ts';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { openKept, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

const request = {
  contact: 'alpha:tamm',
  requester: 'Mari Maasikas',
  'identified-by': 'ID card',
  organization: 'Police',
  basis: 'case 12-3',
  fields: 'email,name',
};

const open = (changes: Partial<typeof request> = {}, ...more: string[]) => [
  ...['disclosure', 'open'],
  ...Object.entries({ ...request, ...changes }).flatMap(([name, value]) => [`--${name}`, value]),
  ...more,
];

/** A registry with the contact ALPHA:TAMM, a request about it, and a directory for files. */
async function withRequest(...more: string[]) {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:TAMM');
  await registry.done(open({}, ...more));
  const directory = await tool.newDirectory();
  return { registry, directory, file: path.join(directory, 'for-the-police.json') };
}

type Request = Awaited<ReturnType<typeof withRequest>>;

const grant = ({ registry, file }: Request, ...more: string[]) =>
  registry.run(['disclosure', 'grant', '1', '--to', file, ...more]);

async function expectRefused(registry: TestRegistry, args: string[], message: string) {
  const { status, stderr } = await registry.run(args);
  expect(stderr).toContain(message);
  expect(status).toBe(1);
}

/** Expects that the request is as it was, with nothing beside these files. */
async function expectOpen({ registry, directory }: Request, ...files: string[]) {
  expect((await registry.done('disclosure show 1')).disclosure.outcome).toBeNull();
  expect(await readdir(directory)).toEqual(files);
}

test('a request says who asks for which fields of whom, on what basis, and until when it is to be answered', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:TAMM');
  const args = open({}, '--received', '2026-01-02T12:00:00+02:00', '--confidential');
  expect(await registry.done([...args, '--dry-run'])).toMatchObject({ changed: false });
  expect(await registry.done('disclosure list')).toEqual({ disclosures: [] });

  const disclosure = {
    id: 1,
    contact: 'ALPHA:TAMM',
    contact_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    requester: 'Mari Maasikas',
    identified_by: 'ID card',
    organization: 'Police',
    basis: 'case 12-3',
    fields: ['name', 'email'],
    is_confidential: true,
    received_at: '2026-01-02T10:00:00.000Z',
    answer_by: '2026-01-05T10:00:00.000Z',
    outcome: null,
    answered_at: null,
    granted_fields: null,
    visible_after: null,
    explanation: null,
  };
  expect(await registry.done(args)).toEqual({
    disclosure,
    changed: true,
    request_id: expect.any(String),
  });
  expect(await registry.done('disclosure show 1')).toEqual({ disclosure });
  const second = await registry.run(open({ organization: 'Bailiff' }));
  expect(second.stdout).toMatch(
    /^opened disclosure 2 of ALPHA:TAMM, to be answered by \d{4}-.*Z\n$/,
  );
  await registry.done(['disclosure', 'refuse', '1', '--reason', 'no basis']);
  expect(await registry.done('disclosure list')).toMatchObject({
    disclosures: [{ id: 1 }, { id: 2 }],
  });
  expect(await registry.done('disclosure list --open')).toMatchObject({ disclosures: [{ id: 2 }] });
});

test('the history says what happened to a request, but not whom it is about nor what was written', async () => {
  const { registry, file } = await withRequest();
  await registry.done(['disclosure', 'grant', '1', '--to', file]);
  const { history } = await registry.done('history disclosure 1');
  expect(history.toReversed()).toMatchObject([
    {
      action: 'create',
      changes: {
        requester: { redacted: true },
        identified_by: { redacted: true },
        requested_fields: { from: null, to: ['name', 'email'] },
      },
    },
    {
      action: 'update',
      changes: {
        outcome: { from: null, to: 'granted' },
        granted_fields: { from: null, to: ['name', 'email'] },
      },
    },
  ]);
  for (const value of ['TAMM', 'Jaan', 'jaan@', '38001085718', 'Maasikas']) {
    expect(JSON.stringify(history)).not.toContain(value);
  }
  const revert = await registry.run(['history', 'revert', history[0].request_id, '--yes']);
  expect(revert.status).toBe(1);
});

test('refuses what is not a request, with the reason', async () => {
  const { registry } = await withRequest();
  for (const [args, message] of [
    [open({ contact: 'ALPHA:NOBODY' }), 'there is no contact ALPHA:NOBODY'],
    [open({ fields: 'name,age' }), 'not a field: "age"; choose from name,'],
    [open({ fields: 'auth_info' }), 'not a field: "auth_info"'],
    [open({ fields: ',' }), 'no field is given'],
    [open({ requester: ' ' }), 'requester must be text'],
    [open({}, '--received', '2099-01-01'), 'the time of receipt is in the future'],
    [['disclosure', 'refuse', '9', '--reason', 'x'], 'there is no disclosure 9'],
  ] as const) {
    await expectRefused(registry, [...args], message);
  }
  expect((await registry.done('disclosure list')).disclosures).toHaveLength(1);
});

test('a grant writes what is on record at that moment to a file that only its owner can read', async () => {
  const { registry, directory, file } = await withRequest();
  await registry.done('contact update ALPHA:TAMM --name Juhan');
  const dry = await registry.run(['disclosure', 'grant', '1', '--to', file, '--dry-run']);
  expect(dry.stdout).toBe(`would grant disclosure 1: name, email, in ${file}\n`);
  expect(existsSync(file)).toBe(false);

  const { disclosure } = await registry.done(['disclosure', 'grant', '1', '--to', file]);
  expect(disclosure).toMatchObject({
    outcome: 'granted',
    answered_at: expect.stringMatching(/Z$/),
    granted_fields: ['name', 'email'],
    visible_after: null,
  });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    disclosure: 1,
    granted_at: disclosure.answered_at,
    fields: { name: 'Juhan', email: 'jaan@example.ee' },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['for-the-police.json']);
  const { disclosures } = await registry.rows();
  expect(JSON.stringify(disclosures)).not.toMatch(/Juhan|jaan@/);
});

test('a grant may disclose some of the fields, and let the person see it later', async () => {
  const { registry, file } = await withRequest();
  const grant = ['disclosure', 'grant', '1', '--to', file, '--visible-after', '2099-01-31'];
  expect(await registry.done([...grant, '--fields', 'email'])).toMatchObject({
    disclosure: { granted_fields: ['email'], visible_after: '2099-02-01T00:00:00.000Z' },
  });
  const { fields } = JSON.parse(await readFile(file, 'utf8'));
  expect(fields).toEqual({ email: 'jaan@example.ee' });
});

test('nothing is granted twice, or after another answer', async () => {
  const { registry, file } = await withRequest();
  await registry.done(open());
  await registry.done(['disclosure', 'grant', '1', '--to', file]);
  const returned = await registry.run(['disclosure', 'return', '2', '--missing', 'the case']);
  expect(returned.stdout).toBe('returned disclosure 2\n');
  for (const [id, outcome] of [
    ['1', 'granted'],
    ['2', 'returned'],
  ] as const) {
    const message = `disclosure ${id} is answered already: it was ${outcome} at 2`;
    await expectRefused(registry, ['disclosure', 'grant', id, '--to', `${file}.2`], message);
    await expectRefused(registry, ['disclosure', 'refuse', id, '--reason', 'x'], message);
  }
  expect(existsSync(`${file}.2`)).toBe(false);
  expect(await registry.done('disclosure show 2')).toMatchObject({
    disclosure: { outcome: 'returned', explanation: 'the case' },
  });
});

test.each([
  ['--fields phone', 'not a field: "phone"; choose from name, email', []],
  ['--visible-after 2099-01-31', 'is confidential: the person never sees it', ['--confidential']],
  ['--visible-after 2020-01-31', 'the time from which the person may see it is in the past', []],
])('a grant with %s is refused, and the request stays open', async (more, message, flags) => {
  const request = await withRequest(...flags);
  const { status, stderr } = await grant(request, ...more.split(' '));
  expect(stderr).toContain(message);
  expect(status).toBe(1);
  await expectOpen(request);
});

test('a field that the contact does not have is not granted, and the others are without it', async () => {
  const { registry, file } = await withRequest();
  await registry.done(open({ fields: 'name,fax' }));
  const { stderr } = await registry.run(['disclosure', 'grant', '2', '--to', file]);
  expect(stderr).toContain('contact ALPHA:TAMM has no fax; leave it out of --fields');
  expect(existsSync(file)).toBe(false);
  await registry.done(['disclosure', 'grant', '2', '--fields', 'name', '--to', file]);
});

test('a request about a contact that is gone, or whose holder is another one, can only be refused', async () => {
  const { registry, file } = await withRequest();
  await registry.addContacts('ALPHA:OTHER');
  await registry.done(open({ contact: 'ALPHA:OTHER' }));
  await registry.done('contact update ALPHA:TAMM --ident 47101010033 --yes');
  await registry.done('contact delete ALPHA:OTHER --yes');
  await registry.addContacts('ALPHA:OTHER');
  for (const [id, message, reason] of [
    [
      '1',
      'request 1 is about a former person of ALPHA:TAMM',
      'the contact is of another person now',
    ],
    ['2', 'the contact of request 2 is gone', 'the contact no longer exists'],
  ]) {
    const grant = ['disclosure', 'grant', id!, '--to', file];
    await expectRefused(
      registry,
      grant,
      `${message}; refuse it (npm run registry -- disclosure refuse ${id} --reason '${reason}'`,
    );
    await registry.done(['disclosure', 'refuse', id!, '--reason', reason!]);
  }
  expect(existsSync(file)).toBe(false);
});

test('a grant writes over no file, and one that cannot be written leaves the request open', async () => {
  const request = await withRequest();
  const { registry, directory, file } = request;
  await writeFile(file, 'another');
  const nowhere = path.join(directory, 'no/file.json');
  const link = path.join(directory, 'link.json');
  await symlink(nowhere, link);
  for (const [to, message] of [
    [file, 'already exists; name another file'],
    [link, 'already exists; name another file'],
    [nowhere, 'cannot be written'],
  ] as const) {
    await expectRefused(registry, ['disclosure', 'grant', '1', '--to', to], message);
  }
  const nameless = await registry.run(['disclosure', 'grant', '1', '--to', '']);
  expect(nameless).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('must name a file'),
  });
  expect(await readFile(file, 'utf8')).toBe('another');
  await expectOpen(request, 'for-the-police.json', 'link.json');
});

test('no file has its name before the row is written, nor any content if the row is not', async () => {
  const request = await withRequest();
  const seen: boolean[] = [];
  const open: OpenBindings = async (options, access) => {
    const { env, ...opened } = await openKept(options, access);
    const DB = {
      prepare: (query: string) => env.DB.prepare(query),
      batch() {
        seen.push(existsSync(request.file));
        // The only batch writes.
        throw new Error('the row is not written');
      },
    };
    return { ...opened, env: { ...env, DB: DB as unknown as D1Database } };
  };
  const place = ['--to', request.file, '--persist-to', request.registry.directory];
  const { status, stderr } = await captured(() =>
    runProgram(['disclosure', 'grant', '1', ...place], open),
  );
  expect(stderr).toContain('the row is not written');
  expect({ status, seen }).toEqual({ status: 1, seen: [false] });
  await expectOpen(request);
});

test('a request stays open if the disk has no room for what is disclosed', async () => {
  const request = await withRequest();
  vi.spyOn(fs, 'writeFile').mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  expect((await grant(request)).status).toBe(1);
  await expectOpen(request);
});

test('the list of requests says how much time is left for an answer', async () => {
  const { registry } = await withRequest();
  onTestFinished(() => setClockAhead(0));
  const timeLeft = async (hours: number) => {
    setClockAhead(hours * 60 * 60 * 1000);
    return /\((.*)\)/.exec((await registry.run('disclosure list')).stdout)?.[1];
  };
  expect(await timeLeft(0)).toBe('71 hours left');
  expect(await timeLeft(70.5)).toBe('1 hour left');
  expect(await timeLeft(72.1)).toBe('overdue');
  await registry.done(['disclosure', 'refuse', '1', '--reason', 'no basis']);
  expect(await timeLeft(100)).toBeUndefined();
}, 120_000);

test('health warns a day before a request must be answered, fails after that, and ends with the answer', async () => {
  const { registry } = await withRequest();
  onTestFinished(() => setClockAhead(0));
  const healthAfter = async (hours: number) => {
    setClockAhead(hours * 60 * 60 * 1000);
    const { status, stdout } = await registry.run('health --json');
    const { status: word, alarms } = JSON.parse(stdout) as {
      status: string;
      alarms: { alarm: string; message: string }[];
    };
    return { status, word, alarms: alarms.filter(({ alarm }) => alarm !== 'failing') };
  };
  const calm = { status: 0, word: 'ok', alarms: [] };
  expect(await healthAfter(47.9)).toEqual(calm);
  const { answer_by: answerBy } = (await registry.done('disclosure show 1')).disclosure;
  const due = {
    alarm: 'disclosure_due',
    message: `The request for disclosure 1 is to be answered by ${answerBy}.`,
  };
  expect(await healthAfter(48.1)).toEqual({ ...calm, alarms: [due] });
  expect((await registry.run('health')).stdout).toContain(
    `\nwarning disclosure_due: ${due.message}\n`,
  );
  expect(await healthAfter(71.9)).toEqual({ ...calm, alarms: [due] });
  const late = {
    alarm: 'disclosure_late',
    message: `The request for disclosure 1 was to be answered by ${answerBy}.`,
  };
  expect(await healthAfter(72.1)).toEqual({ status: 1, word: 'failing', alarms: [late] });
  await registry.done(['disclosure', 'refuse', '1', '--reason', 'no basis']);
  expect(await healthAfter(100)).toEqual(calm);
});
