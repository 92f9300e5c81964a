import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { listMigrations } from '../../src/tool/migrate.ts';
import { loadProgram, runProgram } from '../../src/tool/program.ts';
import { checkMigrations } from '../../src/tool/registry.ts';
import { messageOf } from '../../src/view/message.ts';
import { inProcessDatabase } from '../support/in-process/database.ts';
import { captured } from './captured.ts';
import { everyCommand, helpOf } from './program.ts';
import { openKept, startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');

test('days keep their former spellings in options and files, and no help names these', async () => {
  await registry.done('dispute open a.ee --from 2026-01-01 --until 2099-12-31');
  await registry.done('dispute import -', 'name,from,until\nb.ee,2026-01-01,2099-12-31\n');
  const { disputes } = await registry.done('dispute list');
  expect(disputes).toMatchObject(
    ['a.ee', 'b.ee'].map((name) => ({ name, first_day: '2026-01-01', last_day: '2099-12-31' })),
  );
  for (const [words, command] of everyCommand(await loadProgram())) {
    if (words.startsWith('dispute'))
      expect(helpOf(command)).not.toMatch(/--(from|until)\b|^ +(from|until) /m);
  }
});

test('a dispute has an initiator and a comment from its beginning', async () => {
  const open = ['dispute', 'open', 'c.ee', '--first-day', '2026-01-01'];
  await registry.done([...open, '--initiator', 'Mari Maasikas', '--comment', 'case 2-26-1']);
  expect(await registry.done('dispute show c.ee')).toMatchObject({
    disputes: [{ initiator: 'Mari Maasikas', comment: 'case 2-26-1', last_day: null }],
  });
});

test('a dispute is closed for a reason, which history and name show', async () => {
  await registry.done('dispute open d.ee --first-day 2026-01-01');
  expect((await registry.run('dispute close d.ee')).stderr).toContain(
    "required option '--reason <text>' not specified",
  );
  await registry.done(['dispute', 'close', 'd.ee', '--reason', 'the parties have settled']);
  const { history } = await registry.done('history dispute d.ee');
  expect(history[0]).toMatchObject({
    changes: { reason: { from: null, to: 'the parties have settled' } },
  });
  const { stdout } = await registry.run('name d.ee');
  expect(stdout).toMatch(
    /It had a dispute \(first day 1 Jan 2026, no last day\) that was closed on .*: the parties have settled\./,
  );

  await registry.done(['history', 'revert', history[0].request_id, '--yes']);
  const { history: reverted } = await registry.done('history dispute d.ee');
  expect(reverted[0].changes).toEqual({
    closed_at: { from: history[0].changes.closed_at.to, to: null },
  });
});

test('retained add takes a last day, and gives it to names that are reserved already', async () => {
  const add = 'retained add r.ee s.ee --status reserved --last-day';
  await registry.done('retained add r.ee --status reserved');
  expect(await registry.done(`${add} 2099-12-31`)).toMatchObject({
    ...{ added: 1, updated: 1, unchanged: 0, changed: true },
  });
  expect(await registry.done('retained list')).toMatchObject({
    retained_domains: ['r.ee', 's.ee'].map((name) => ({ name, last_day: '2099-12-31' })),
  });
  const file = 'name,status,last_day\nf.ee,reserved,\ng.ee,reserved,2098-12-31\nh.ee,blocked,\n';
  await registry.done('retained import - --last-day 2099-12-31', file);
  const { retained_domains } = await registry.done('retained list');
  expect(retained_domains).toMatchObject(
    ['2099-12-31', '2098-12-31', null, '2099-12-31', '2099-12-31'].map((last_day) => ({
      last_day,
    })),
  );
  for (const [words, refusal] of [
    [`${add} 2001-01-01`, 'is over [last_day]'],
    [`${add} soon`, '"soon" is not a day in the calendar'],
    [
      'retained add t.ee --status blocked --last-day 2099-12-31',
      'a blocked name has no last_day [last_day]',
    ],
  ] as const) {
    expect((await registry.run(words)).stderr).toContain(refusal);
  }
});

test('a list takes commas and blanks, in options, arguments and files', async () => {
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  const header = 'name,registrar,registrant,admin';
  await registry.done('domain import -', `${header}\nl.ee,ALPHA,ALPHA:1,"ALPHA:1, ALPHA:2"\n`);
  const admin = async (...words: string[]) => {
    await registry.done(['domain', 'update', 'l.ee', '--admin', ...words]);
    return (await registry.done('domain show l.ee')).domain.admin;
  };
  expect(await admin('')).toEqual([]);
  expect(await admin('ALPHA:1,ALPHA:2')).toEqual(['ALPHA:1', 'ALPHA:2']);
  expect(await admin('ALPHA:2')).toEqual(['ALPHA:2']);
  expect(await admin('ALPHA:1', 'ALPHA:2')).toEqual(['ALPHA:1', 'ALPHA:2']);

  const allow = ['registrar', 'update', 'ALPHA', '--allow-ip', '192.0.2.1,192.0.2.2 192.0.2.3'];
  const { registrar } = await registry.done(allow);
  expect(registrar.allowed_ips).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);

  const statuses = 'serverUpdateProhibited,serverDeleteProhibited';
  await registry.done(`contact status ALPHA:1 --add ${statuses}`);
  const { contact } = await registry.done('contact show ALPHA:1');
  expect(contact.statuses).toEqual(expect.arrayContaining(statuses.split(',')));
  expect((await registry.run('contact status ALPHA:1 --add ok,nonsense')).status).toBe(2);
  await registry.done(`contact status ALPHA:1 --remove ${statuses}`);

  expect(await registry.done('auction start u.ee,v.ee')).toMatchObject({ started: 2 });
});

test('an import takes what a list writes, and names what it skips', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  await registry.done(
    'domain import -',
    'name,registrar,registrant,admin\nl.ee,ALPHA,ALPHA:1,ALPHA:2\n',
  );
  await registry.done('retained add r.ee --status reserved --last-day 2099-12-31');
  await registry.done('dispute open d.ee --first-day 2026-01-01 --last-day 2099-12-31');
  const listed = async (noun: string) => (await registry.run(`${noun} list --csv`)).stdout;
  const demand = 'contact demand --file - --claims identity --by 2099-01-31';
  expect(await registry.done(demand, await listed('contact'))).toMatchObject({
    changed_contacts: 2,
    skipped_columns: expect.arrayContaining(['name', 'email', 'phone']),
  });
  for (const [noun, skipped] of [
    ['contact', ['uuid']],
    ['domain', ['punycode_name']],
    ['retained', ['punycode_name']],
    ['dispute', ['punycode_name', 'state']],
  ] as const) {
    expect(await registry.done(`${noun} import -`, await listed(noun))).toMatchObject({
      ...{ changed: false, unchanged: noun === 'contact' ? 2 : 1 },
      skipped_columns: expect.arrayContaining([...skipped]),
    });
  }
});

test('a code with a hyphen at its beginning is found by the command that takes it back', async () => {
  const place = ['--persist-to', registry.directory];
  await registry.done(['registrar', 'add', '--code', '-A', '--name', 'Hyphen']);
  const run = (words: string[]) => captured(() => runProgram(words, openKept));
  const suspend = ['registrar', 'suspend', '--reason', 'unpaid', ...place, '--', '-A'];
  const { stderr } = await run(suspend);
  const [, back] = /take back: npm run registry -- (.*)\n/.exec(stderr)!;
  expect(await run(back!.split(' '))).toMatchObject({ status: 0 });
  expect(await registry.done('registrar list')).toMatchObject({
    registrars: expect.arrayContaining([
      expect.objectContaining({ code: '-A', suspended_at: null }),
    ]),
  });
});

test('a database that lacks migrations gets the command for its place', async () => {
  using database = new DatabaseSync(':memory:');
  const db = inProcessDatabase(database);
  const adviceFor = (options: object) => checkMigrations(db, options).catch(messageOf);
  const newest = listMigrations().at(-1)!;
  expect(await adviceFor({})).toMatch(
    new RegExp(`it lacks \\d+ migrations, 0000_\\w+\\.sql to ${newest};`),
  );
  expect(await adviceFor({ persistTo: '/a b' })).toMatch(
    /; to apply them: npm start -- --no-demo --persist-to '\/a b'$/,
  );
  expect(await adviceFor({ remote: true })).toMatch(
    /; to apply them: npx wrangler d1 migrations apply DB --remote --env production$/,
  );
  expect(await adviceFor({ remote: true, env: 'staging' })).toMatch(/--remote --env staging$/);
});

test('a dispute whose days are over is recorded, not opened', async () => {
  const registry = await tool.newRegistry();
  const open = (name: string, last: string) =>
    registry.run(`dispute open ${name} --first-day 2020-01-01 --last-day ${last}`);
  expect((await open('past.ee', '2020-02-01')).stdout).toMatch(
    /^recorded a dispute of past\.ee from 2020-01-01 until 2020-02-01, which is over: the name is not disputed by it/,
  );
  expect((await open('now.ee', '2099-02-01')).stdout).toMatch(/^opened a dispute of now\.ee /);
});

test('a reserved or blocked name has a comment from its beginning, which comes back with it, for staff alone', async () => {
  const add = ['retained', 'add', 'k.ee', '--status', 'blocked', '--comment', 'court order 5'];
  await registry.done(add);
  const shown = { retained_domains: [{ status: 'blocked', comment: 'court order 5' }] };
  expect(await registry.done('retained show k.ee')).toMatchObject(shown);
  expect((await registry.run('name k.ee')).stdout).toContain(
    'Do not tell the caller: it is blocked with the comment “court order 5”.',
  );
  const again = await registry.done([...add.slice(0, -1), 'another']);
  expect(again).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  const removal = await registry.done('retained remove k.ee --status blocked --yes');
  await registry.done(['history', 'revert', removal.request_id, '--yes']);
  expect(await registry.done('retained show k.ee')).toMatchObject(shown);
});

test('a changed last day is taken back without a change of the comment', async () => {
  const add = ['retained', 'add', 'm.ee', '--status', 'reserved', '--last-day'];
  await registry.done([...add, '2098-12-31', '--comment', 'ministry']);
  const { request_id: change } = await registry.done([...add, '2099-12-31']);
  await registry.done(['history', 'revert', change, '--yes']);
  expect(await registry.done('retained show m.ee')).toMatchObject({
    retained_domains: [{ last_day: '2098-12-31', comment: 'ministry' }],
  });
});
