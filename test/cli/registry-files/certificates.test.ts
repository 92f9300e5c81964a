import { expect, test } from 'vitest';
import { row, smallRegistry } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn } = moves;
const [a, b, c] = ['a1', 'b2', 'c3'].map((digits) => digits.repeat(32)) as [string, string, string];

const done = (command: string) => moves.registry.done(command);

async function bound() {
  const { certificates } = await done('certificate list');
  return certificates.map((one: Record<string, unknown>) => `${one.api_user} ${one.fingerprint}`);
}

/** The small registry with a certificate and other columns of its user. */
const filesWith = (fingerprints: string[], user = {}) => ({
  ...smallRegistry(),
  'api-users': [row.user('ats', 'ALPHA', user)],
  certificates: fingerprints.map((one) => row.certificate('ats', one)),
});

test('a certificate moves in, is bound and not required, and the history of its user says so', async () => {
  await moveIn(smallRegistry());
  const ends = { expires_at: '2999-01-01T00:00:00.000Z', created_at: '2015-03-04T05:06:07.123Z' };
  const certificate = { fingerprint: a, common_name: 'ats', ...ends };
  expect(await done('certificate list')).toEqual({
    certificates: [
      { api_user: 'ats', system: null, ...certificate, presented_at: null, is_required: false },
    ],
  });
  const { history } = await done('history api-user ats');
  expect(history.at(-1)).toMatchObject({
    action: 'update',
    changes: {
      certificate: { from: null, to: a },
      common_name: { from: null, to: 'ats' },
      expires_at: { from: null, to: ends.expires_at },
      created_at: { from: null, to: ends.created_at },
    },
  });
  expect(history.at(-1).changes).not.toHaveProperty('username');
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('what the files no longer have is unbound, and another end arrives', async () => {
  await moveIn(filesWith([a, b]));
  const later = row.certificate('ats', b, { expires_at: '2998-01-01' });
  const { counts, run } = await moveIn({ ...smallRegistry(), certificates: [later] });
  expect(counts.certificates).toEqual({ updated: 1, removed: 1 });
  expect(await bound()).toEqual([`ats ${b}`]);
  expect(await run()).toMatchObject({ changed: false });
  const { history } = await done('history api-user ats');
  expect(history.at(-1)).toMatchObject({
    action: 'update',
    changes: { certificate: { from: a, to: null } },
  });
});

test('a certificate of a user who does not move in is refused, and so is one that has ended', async () => {
  const { lines } = await moveIn({
    ...smallRegistry(),
    certificates: [
      row.certificate('mari', a),
      row.certificate('ats', b, { expires_at: '2020-01-01' }),
      row.certificate('ats', 'b2:c3'),
      row.certificate('ats', ''),
      row.certificate('ats', c),
      row.certificate('ats', c),
    ],
  });
  expect(lines.filter((line) => line.startsWith('certificates'))).toEqual([
    'certificates.csv:2  username "mari" refused: there is no such API user',
    `certificates.csv:3 ats ${b} expires_at "2020-01-01T00:00:00.000Z" refused: is over`,
    'certificates.csv:4  fingerprint "b2:c3" refused: is not the SHA-256 of a certificate, in hexadecimal',
    'certificates.csv:5  fingerprint "" refused: is missing',
    `certificates.csv:7 ats ${c} username "ats" refused: an earlier line has the same`,
  ]);
  expect(await bound()).toEqual([`ats ${c}`]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('a certificate that was unbound here stays so, and one that was bound here stays bound', async () => {
  const d = 'd4'.repeat(32);
  await moveIn(filesWith([d]));
  await done(`certificate unbind --user ats --fingerprint ${d}`);
  await done(`certificate bind --user ats --fingerprint ${b}`);
  const { lines } = await moveIn(filesWith([c, d]));
  const conflicts = lines.map((line) => line.replace(/ "\{.*\}"/, ''));
  expect(conflicts).toEqual([
    `certificates.csv:3 ats ${d}  conflict: was deleted here`,
    `certificates.csv: ats ${b}  "" conflict: was made here`,
  ]);
  expect((await bound()).toSorted()).toEqual([`ats ${b}`, `ats ${c}`]);
});

test('binding and requiring a certificate here is not a change of its user', async () => {
  await moveIn(filesWith([]));
  await done(`certificate bind --user ats --fingerprint ${b}`);
  await done('certificate require --user ats');
  const disabled = { disabled_at: '2020-01-01 00:00:00' };
  expect((await moveIn(filesWith([b], disabled))).counts['api-users']).toEqual({ updated: 1 });
});

test('a user whose certificate was bound here stays', async () => {
  await moveIn(filesWith([]));
  await done(`certificate bind --user ats --fingerprint ${b}`);
  const { lines } = await moveIn({ ...smallRegistry(), 'api-users': [], certificates: [] });
  expect(lines).toContain(
    `api-users.csv: ats  "certificate ats ${b}" conflict: another row still refers to it`,
  );
  expect(await bound()).toEqual([`ats ${b}`]);
});

test('a dry run says already that the registrar of such a user stays as well', async () => {
  const before = {
    registrars: [row.registrar(7, 'ALPHA')],
    'api-users': [row.user('ats', 'ALPHA')],
  };
  await moveIn(before);
  await done(`certificate bind --user ats --fingerprint ${b}`);
  const files = { registrars: [], 'api-users': [], certificates: [] };
  const would = await moveIn(files, '--dry-run');
  expect(would.lines).toEqual([
    `api-users.csv: ats  "certificate ats ${b}" conflict: another row still refers to it`,
    `certificates.csv: ats ${b}  "" conflict: was made here`,
    'registrars.csv: ALPHA  "API user ats" conflict: another row still refers to it',
  ]);
  const { lines, kinds } = await moveIn(files);
  expect({ lines, kinds }).toEqual({ lines: would.lines, kinds: would.kinds });
});

test('certificates of systems neither move out nor are compared', async () => {
  await done('system add epp');
  await done(`certificate bind --system epp --fingerprint ${a}`);
  await moveIn(smallRegistry());
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
  const out = await done(`move-out ${await moves.tool.newDirectory()}`);
  expect(out.files['certificates.csv']).toBe(1);
  await done('system remove epp --yes');
});
