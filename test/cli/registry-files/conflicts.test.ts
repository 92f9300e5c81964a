import { expect, test } from 'vitest';
import { readFileOf, row, smallRegistry, writeFiles } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn } = moves;

/** Moves the small registry in, and changes, deletes and makes a row here. */
async function moveInAndChange(): Promise<void> {
  await moveIn(smallRegistry());
  await moves.registry.done('registrar update ALPHA --name Alfa');
  await moves.registry.done('retained remove riigikogu.ee --status reserved --yes');
  await moves.registry.done('retained add minu.ee --status blocked');
  writeFiles(moves.directory, smallRegistry());
}

const run = (...options: string[]) => moves.registry.run(['move-in', moves.directory, ...options]);

/** What the report says of rows that were changed here, by their keys. */
const reported = () =>
  readFileOf(moves.directory, 'move-in-report').map(({ file, key, value, here, done, why }) => ({
    ...{ row: `${file}:${key}`, done, why },
    ...{ value: value && JSON.parse(value), here: here && JSON.parse(here) },
  }));

test('the report of a conflict has the values in the file and those here', async () => {
  await moveInAndChange();
  expect((await run()).status).toBe(0);
  const at = '2015-03-04T05:06:07.123Z';
  const name = { name: 'riigikogu.ee', password: null, last_day: '2999-01-01', created_at: at };
  expect(reported()).toEqual([
    {
      ...{ row: 'blocked.csv:minu.ee', value: '', here: '' },
      ...{ done: 'conflict', why: 'was made here' },
    },
    {
      ...{ row: 'registrars.csv:ALPHA', done: 'conflict', why: 'was changed here' },
      value: { name: 'ALPHA OÜ', updated_at: at },
      here: { name: 'Alfa', updated_at: expect.stringMatching(/^20\d\d-/) },
    },
    {
      ...{ row: 'reserved.csv:riigikogu.ee', done: 'conflict', why: 'was deleted here' },
      ...{ value: name, here: '' },
    },
  ]);
});

test('--theirs settles all conflicts, or those of the rows that it names', async () => {
  await moveInAndChange();
  const one = await run('--theirs', 'registrars:ALPHA', '--theirs', 'blocked:minu.ee', '--yes');
  expect(one.status).toBe(0);
  expect(one.stdout).toContain('settled: 1 line of registrars.csv: was changed here\n');
  expect(reported().map(({ row, done }) => `${row} ${done}`)).toEqual([
    'blocked.csv:minu.ee settled',
    'registrars.csv:ALPHA settled',
    'reserved.csv:riigikogu.ee conflict',
  ]);
  expect(reported()[1]).toMatchObject({ value: { name: 'ALPHA OÜ' }, here: { name: 'Alfa' } });
  const { registrars, retained_domains: names } = await moves.registry.rows();
  expect(registrars![0]).toMatchObject({ code: 'ALPHA', name: 'ALPHA OÜ' });
  expect(names).toMatchObject([{ name: 'paha.ee' }]);
  await run('--theirs', '--yes');
  expect(await moves.reconcile()).toMatchObject({ status: 0, equal: true });
});

test('--theirs leaves nothing of what was moved in, changed or made here, if the files have no rows', async () => {
  await moveInAndChange();
  const none = Object.keys(smallRegistry()).map((name) => [name, []]);
  writeFiles(moves.directory, Object.fromEntries(none));
  expect((await run('--theirs', '--yes')).status).toBe(0);
  const { registrars, contacts, domains, retained_domains, disputes, auctions } =
    await moves.registry.rows();
  const left = [registrars, contacts, domains, retained_domains, disputes, auctions];
  expect(left).toEqual([[], [], [], [], [], []]);
});

test('--theirs asks before it overwrites what was changed here', async () => {
  await moveInAndChange();
  const before = await moves.registry.rows();
  const asking = await run('--theirs', '--max-removals', '5');
  expect(asking).toMatchObject({ status: 1, stdout: '' });
  expect(asking.stderr).toBe(
    'refused: This overwrites 3 rows changed, deleted or made here, which move-in-report.csv names. ' +
      'There is no terminal to ask on; confirm with --yes\n',
  );
  expect(await moves.registry.rows()).toEqual(before);
});

test.each([['registrars:NONE'], ['nothing:ALPHA'], ['ALPHA']])(
  '--theirs %s is refused, because there is no such row',
  async (place) => {
    await moveInAndChange();
    const before = await moves.registry.rows();
    const { status, stderr } = await run('--theirs', place, '--yes');
    expect(status).toBe(1);
    expect(stderr).toContain(`neither the files nor the registry have ${place}; `);
    expect(await moves.registry.rows()).toEqual(before);
  },
);

test('the report names users that are disabled, and registrars that may call from nowhere', async () => {
  const files = smallRegistry();
  files['api-users'] = [row.user('ats', 'ALPHA', { disabled_at: '2016-01-01 00:00:00' })];
  files['allowed-ips'] = [
    { registrar: 'ALPHA', address: '0.0.0.0/32' },
    { registrar: 'BETA', address: '192.0.2.2' },
  ];
  const { lines } = await moveIn(files);
  expect(lines.filter((line) => !line.includes('conflict'))).toEqual([
    'allowed-ips.csv: ALPHA  "" carried: has only 0.0.0.0/32, which nobody has',
    'api-users.csv:2 ats disabled_at "2016-01-01 00:00:00" carried: is disabled, so nobody can log in with it',
  ]);
});
