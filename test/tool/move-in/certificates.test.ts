import { expect, test } from 'vitest';
import { row, smallRegistry } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn } = moves;
const [a, b, c] = ['a1', 'b2', 'c3'].map((digits) => digits.repeat(32)) as [string, string, string];

test('a certificate moves in, is bound and not required, and the history of its user says so', async () => {
  await moveIn(smallRegistry());
  const ends = { expires_at: '2999-01-01T00:00:00.000Z', created_at: '2015-03-04T05:06:07.123Z' };
  const { api_users: users, certificates, history } = moves.rows();
  expect(certificates).toMatchObject([
    { api_user_id: users![0]!.id, system_id: null, fingerprint: a, common_name: 'ats', ...ends },
  ]);
  expect(users).toMatchObject([{ username: 'ats', certificate_required: 0 }]);
  const [, entry] = history!.filter(({ subject_key: key }) => key === 'ats');
  expect(entry).toMatchObject({ subject: 'api_user', action: 'update' });
  expect(JSON.parse(entry!.changes)).toEqual({
    certificate: { from: null, to: a },
    commonName: { from: null, to: 'ats' },
    expiresAt: { from: null, to: ends.expires_at },
    createdAt: { from: null, to: ends.created_at },
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
    `certificates.csv:3 ats ${b} expires_at "2020-01-01" refused: is over`,
    'certificates.csv:4  fingerprint "b2:c3" refused: is not the SHA-256 of a certificate, in hexadecimal',
    'certificates.csv:5  fingerprint "" refused: is missing',
    `certificates.csv:7 ats ${c} username "ats" refused: an earlier line has the same`,
  ]);
  expect(moves.rows().certificates).toMatchObject([{ fingerprint: c }]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, unreported: 0 });
});
