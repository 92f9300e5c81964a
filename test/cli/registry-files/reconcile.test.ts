import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { setClockAhead } from '../../../src/time/clock.ts';
import { row, smallRegistry, writeFiles } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn, reconcile } = moves;

type Side = Record<'kind' | 'digest_of_files' | 'digest_here', string>;

function ofKinds({ kinds }: { kinds: Side[] }, ...names: string[]) {
  return kinds.filter(({ kind }) => names.includes(kind));
}

afterEach(() => setClockAhead(0));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('has the digest of each side, and counts its rows by registrar', async () => {
  const files = smallRegistry();
  files.blocked!.unshift(row.blocked('vale.ee'));
  await moveIn(files);
  const [vale, paha] = ['vale.ee', 'paha.ee'].map((name) => [name, '2015-03-04T05:06:07.123Z']);
  const blocked = sha256(JSON.stringify(paha) + JSON.stringify(vale));
  const before = await reconcile();
  const [contacts] = ofKinds(before, 'contacts');
  expect(before).toMatchObject({ status: 0, equal: true });
  expect(ofKinds(before, 'blocked')).toEqual([
    {
      ...{ kind: 'blocked', rows_in_files: 2, rows_here: 2, by_registrar: {} },
      ...{ digest_of_files: blocked, digest_here: blocked },
    },
  ]);
  files.blocked!.shift();
  files.contacts!.shift();
  files.contacts!.push(row.contact(16, 'BETA'));
  writeFiles(moves.directory, files);
  const after = await reconcile();
  expect(after.status).toBe(1);
  expect(ofKinds(after, 'contacts', 'blocked')).toMatchObject([
    {
      ...{ rows_in_files: 3, rows_here: 3, digest_here: contacts!.digest_here },
      by_registrar: { ALPHA: { in_files: 1, here: 2 }, BETA: { in_files: 2, here: 1 } },
    },
    {
      ...{ rows_in_files: 1, rows_here: 2 },
      ...{ digest_of_files: sha256(JSON.stringify(paha)), digest_here: blocked },
    },
  ]);
  const { stdout } = await moves.registry.run(['reconcile', moves.directory]);
  expect(stdout).toMatch(/^contacts +BETA +2 +1 *$/m);
});

test.each([
  ['api-users', 'password'],
  ['reserved', 'password'],
  ['auctions', 'registration_code'],
  ['domain-contacts', 'role'],
  ['allowed-ips', 'address'],
])('tells the sides apart by the digest if %s have another %s', async (file, column) => {
  const files = smallRegistry();
  await moveIn(files);
  files[file]!.at(-1)![column] = column === 'role' ? 'admin' : '192.0.2.9';
  writeFiles(moves.directory, files);
  const { status, kinds } = await reconcile();
  expect(status).toBe(1);
  const differing = kinds.filter((kind: Side) => kind.digest_of_files !== kind.digest_here);
  const owners: Record<string, string> = {
    'domain-contacts': 'domains',
    'allowed-ips': 'registrars',
  };
  expect(differing.map(({ kind }: Side) => kind)).toEqual([owners[file] ?? file]);
});

test('excuses what the report names, unless a file is newer', async () => {
  const files = smallRegistry();
  files.domains!.push(row.domain('kadunud.ee', '#98'));
  await moveIn(files);
  await moves.registry.done('registrar update ALPHA --name Alfa');
  await moveIn(files);
  expect(await reconcile()).toMatchObject({ status: 0, equal: false, unreported: 0 });
  writeFiles(moves.directory, { blocked: files.blocked! });
  expect(await reconcile()).toMatchObject({
    status: 1,
    unreported: 2,
    differences: [
      { file: 'registrars.csv', key: 'ALPHA', reported: false },
      { file: 'domains.csv', key: 'kadunud.ee', columns: ['registrar'], reported: false },
    ],
  });
});

test('does not excuse what was changed here after the report', async () => {
  await moveIn(smallRegistry());
  await moves.registry.done('registrar update ALPHA --name Alfa');
  expect(await reconcile()).toMatchObject({ status: 1, unreported: 1 });
});

test('expects no reserved name that the cron has ended, and every dispute that is over', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await moveIn({
    reserved: [row.reserved('kinni.ee', { last_day: today }), row.reserved('riigikogu.ee')],
    disputes: [row.dispute('tuli.ee', '2016-01-01', { last_day: today })],
  });
  setClockAhead(24 * 60 * 60 * 1000);
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
  await moves.endReservations();
  const { retained_domains, disputes } = await moves.registry.rows();
  expect([retained_domains, disputes]).toMatchObject([[{ name: 'riigikogu.ee' }], [{}]]);
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, equal: true, differences: [] },
    kinds: [{ kind: 'reserved', rows_in_files: 1, rows_here: 1 }, { kind: 'disputes' }],
  });
});

test('shows a hundred differences on the terminal, and all of them with --json', async () => {
  const names = Array.from({ length: 1_101 }, (_, n) => row.reserved(`kinni${n}.ee`));
  writeFiles(moves.directory, { reserved: names });
  const { status, stdout } = await moves.registry.run(['reconcile', moves.directory]);
  expect(status).toBe(1);
  expect(stdout.match(/only in the files/g)).toHaveLength(100);
  expect(stdout).toContain('1001 more differences; --json shows all');
  const { differences, equal } = await reconcile();
  expect(equal).toBe(false);
  expect(new Set(differences.map(({ key }: { key: string }) => key)).size).toBe(1_101);
});

test('excuses what belongs to a registrar that is gone from the files, and still referred to here', async () => {
  const files = smallRegistry();
  files['api-users']!.push(row.user('beeta', 'BETA'));
  await moveIn(files);
  files.registrars!.pop();
  const { lines } = await moveIn(files, '--orphans-to', 'ALPHA');
  expect(lines).toContain(
    'registrars.csv: BETA  "API user beeta" conflict: another row still refers to it',
  );
  expect(await reconcile('--orphans-to', 'ALPHA')).toMatchObject({ status: 0, unreported: 0 });
});

test('finds an API user who is not here for want of a password', async () => {
  const { registrars, 'api-users': users } = smallRegistry();
  await moveIn({ registrars: registrars!, 'api-users': users! });
  const without = ['ats', 'uus'].map((username) => ({ registrar: 'ALPHA', username }));
  writeFiles(moves.directory, { 'api-users': without });
  expect(await reconcile()).toMatchObject({
    ...{ status: 1, unreported: 1 },
    differences: [{ file: 'api-users.csv', key: 'uus', difference: 'refused' }],
  });
  await moveIn({ 'api-users': without });
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('names what it ignores, and the kinds that it does not compare', async () => {
  const blocked = smallRegistry().blocked!.map((each) => ({ ...each, vana_veerg: 'x' }));
  await moveIn({ blocked, muu: [{ a: 'b' }] });
  const parties = ['registrars', 'api-users', 'certificates', 'contacts'];
  const others = [...parties, 'domains', 'reserved', 'disputes'];
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, ignored: ['muu.csv', 'blocked.csv: vana_veerg'] },
    not_compared: [...others, 'auctions'],
  });
  const { stdout } = await moves.registry.run(['reconcile', moves.directory]);
  expect(stdout).toContain(`not compared, because there is no file of them: ${others.join(', ')}`);
});
