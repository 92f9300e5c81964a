import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { setClockAhead } from '../../../src/base/time/clock.ts';
import { row, smallRegistry, writeFiles } from './files.ts';
import { run, startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn, reconcile } = moves;

type Side = Record<'kind' | 'digest_of_files' | 'digest_here', string>;

afterEach(() => setClockAhead(0));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('has the digest and the number of the rows of each side', async () => {
  await moveIn({ blocked: [row.blocked('vale.ee'), row.blocked('paha.ee')] });
  const [vale, paha] = ['vale.ee', 'paha.ee'].map((name) => [name, '2015-03-04T05:06:07.123Z']);
  const both = sha256(JSON.stringify(vale) + JSON.stringify(paha));
  const here = { rows_here: 2, digest_here: both };
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, equal: true },
    kinds: [{ kind: 'blocked', rows_in_files: 2, digest_of_files: both, ...here }],
  });
  writeFiles(moves.directory, { blocked: [row.blocked('paha.ee')] });
  const digest = sha256(JSON.stringify(paha));
  expect(await reconcile()).toMatchObject({
    ...{ status: 1, equal: false },
    kinds: [{ kind: 'blocked', rows_in_files: 1, digest_of_files: digest, ...here }],
  });
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
  expect(differing.map(({ kind }: Side) => kind)).toEqual([file]);
});

test('excuses what the report names as refused, unless a file is newer', async () => {
  const files = smallRegistry();
  files.domains!.push(row.domain('kadunud.ee', '#98'));
  await moveIn(files);
  expect(await reconcile()).toMatchObject({ status: 0, equal: false, unreported: 0 });
  writeFiles(moves.directory, { blocked: files.blocked! });
  expect(await reconcile()).toMatchObject({
    ...{ status: 1, unreported: 1 },
    differences: [
      { file: 'domains.csv', key: 'kadunud.ee', columns: ['registrar'], reported: false },
    ],
  });
});

test('excuses no row of the file that the files refuse, as without the registrar for orphans', async () => {
  const files = smallRegistry();
  files.domains!.push(row.domain('kadunud.ee', '#98'));
  await moveIn(files, '--fallback-registrar', 'BETA');
  expect(await reconcile('--fallback-registrar', 'BETA')).toMatchObject({ status: 0, equal: true });
  expect(await reconcile()).toMatchObject({
    ...{ status: 1, unreported: 1 },
    differences: [
      { key: 'kadunud.ee', difference: 'refused' },
      { key: 'kadunud.ee', difference: 'only here' },
    ],
  });
});

test('names the rows and the columns that differ', async () => {
  const files = smallRegistry();
  await moveIn(files);
  files.registrars![0]!.name = 'Alfa';
  files['domain-contacts']!.shift();
  files.blocked!.push(row.blocked('uus.ee'));
  writeFiles(moves.directory, files);
  const { status, differences } = await reconcile();
  const reported = { columns: [], reported: false };
  expect({ status, differences }).toEqual({
    status: 1,
    differences: [
      {
        ...{ file: 'registrars.csv', key: 'ALPHA', difference: 'other values' },
        ...{ columns: ['name'], reported: false },
      },
      {
        ...{ file: 'domain-contacts.csv', key: 'õun.ee ALPHA:11 registrant' },
        ...{ difference: 'only here', ...reported },
      },
      { file: 'blocked.csv', key: 'uus.ee', difference: 'only in the files', ...reported },
    ],
  });
});

test('expects no reserved name that is over by now, and every dispute that is', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await moveIn({
    reserved: [row.reserved('kinni.ee', { last_day: today }), row.reserved('riigikogu.ee')],
    disputes: [row.dispute('tuli.ee', '2016-01-01', { last_day: today })],
  });
  setClockAhead(24 * 60 * 60 * 1000);
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, equal: true, differences: [] },
    kinds: [{ kind: 'reserved', rows_in_files: 1, rows_here: 1 }, { kind: 'disputes' }],
  });
});

test('shows a hundred differences on the terminal, and all of them with --json', async () => {
  const names = Array.from({ length: 1_101 }, (_, n) => row.reserved(`kinni${n}.ee`));
  await moveIn({ reserved: [] });
  writeFiles(moves.directory, { reserved: names });
  const { status, stdout } = await run('reconcile', moves.directory, moves.file);
  expect(status).toBe(1);
  expect(stdout.match(/only in the files/g)).toHaveLength(100);
  expect(stdout).toContain('1001 more differences; --json shows all');
  const { differences, equal } = await reconcile();
  expect(equal).toBe(false);
  expect(new Set(differences.map(({ key }: { key: string }) => key)).size).toBe(1_101);
});

test('names what it ignores, and the kinds that it does not compare', async () => {
  const blocked = smallRegistry().blocked!.map((each) => ({ ...each, vana_veerg: 'x' }));
  await moveIn({ blocked, muu: [{ a: 'b' }] });
  const parties = ['registrars', 'allowed-ips', 'api-users', 'certificates', 'contacts'];
  const others = [...parties, 'domains', 'domain-contacts', 'reserved', 'disputes', 'auctions'];
  expect(await reconcile()).toMatchObject({
    ...{ status: 0, ignored: ['muu.csv', 'blocked.csv: vana_veerg'] },
    not_compared: others,
  });
  const { stdout } = await run('reconcile', moves.directory, moves.file);
  expect(stdout).toContain(`not compared, because there is no file of them: ${others.join(', ')}`);
});
