import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { smallRegistry, writeFiles } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();

const allowedIps = () => moves.rows().registrars!.map(({ allowed_ips: ips }) => JSON.parse(ips));

test.each([
  ['a field too many', 'BETA,192.0.2.2,x\n'],
  ['a field too few', 'BETA\n'],
  ['a blank after the code', 'BETA ,192.0.2.2\n'],
])('keeps a registrar closed whose only row of addresses has %s', async (_, line) => {
  const files = smallRegistry();
  const addresses = [files['allowed-ips']![0]!];
  writeFiles(moves.directory, { 'allowed-ips': addresses });
  appendFileSync(path.join(moves.directory, 'allowed-ips.csv'), line);
  const { 'allowed-ips': __, ...others } = files;
  const { causes } = await moves.moveIn(others);
  expect(causes).toContainEqual({
    ...{ file: 'allowed-ips', done: 'changed', column: null, count: 1 },
    why: 'has no row while another is refused; it is now 0.0.0.0/32, which nobody has',
  });
  expect(allowedIps()).toEqual([['192.0.2.1'], ['0.0.0.0/32']]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('names registrars that may call from nowhere, or from everywhere', async () => {
  const files = smallRegistry();
  const nowhere = { registrar: 'ALPHA', address: '0.0.0.0/32' };
  const { lines } = await moves.moveIn({ ...files, 'allowed-ips': [nowhere] });
  expect(lines).toEqual([
    'allowed-ips.csv: ALPHA  "" carried: has only 0.0.0.0/32, which nobody has',
    'allowed-ips.csv: BETA  "" carried: has no row: open to every address',
  ]);
});
