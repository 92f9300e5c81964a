import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { smallRegistry, writeFiles } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();

async function allowedIps() {
  const { registrars } = await moves.registry.rows();
  return (registrars as { allowed_ips: string }[]).map(({ allowed_ips: ips }) => JSON.parse(ips));
}

test.each([
  ['a field too many', 'BETA,192.0.2.2,x\n'],
  ['a field too few', 'BETA\n'],
  ['a blank after the code', 'BETA ,192.0.2.2\n'],
])('keeps a registrar closed whose only row of addresses has %s', async (_, line) => {
  const files = smallRegistry();
  const addresses = [files['allowed-ips']![0]!];
  const move = async () => {
    writeFiles(moves.directory, { ...files, 'allowed-ips': addresses });
    appendFileSync(path.join(moves.directory, 'allowed-ips.csv'), line);
    return moves.registry.done(['move-in', moves.directory, '--yes']);
  };
  const { causes } = await move();
  expect(causes).toContainEqual({
    ...{ file: 'allowed-ips', done: 'changed', column: null, count: 1 },
    why: 'has no row while another is refused; it is now 0.0.0.0/32, which nobody has',
  });
  expect(await allowedIps()).toEqual([['192.0.2.1'], ['0.0.0.0/32']]);
  expect(await moves.reconcile()).toMatchObject({ status: 0, unreported: 0 });
  await moves.moveIn(files);
  expect(await allowedIps()).toEqual([['192.0.2.1'], ['2001:db8::/32']]);
  await move();
  expect(await allowedIps()).toEqual([['192.0.2.1'], ['0.0.0.0/32']]);
});

test('asks before a registrar loses its last address', async () => {
  const files = smallRegistry();
  await moves.moveIn(files);
  files['allowed-ips'] = [files['allowed-ips']![0]!];
  writeFiles(moves.directory, files);
  const unasked = ['move-in', moves.directory, '--max-removals', '9'];
  const { status, stderr } = await moves.registry.run(unasked);
  expect(status).toBe(1);
  expect(stderr).toContain('This lets the registrars BETA call from every address.');
  expect(await allowedIps()).toEqual([['192.0.2.1'], ['2001:db8::/32']]);
  await moves.registry.done(['move-in', moves.directory, '--yes']);
  expect(await allowedIps()).toEqual([['192.0.2.1'], []]);
});
