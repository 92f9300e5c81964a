import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();

beforeAll(() => registry.done('lists publish'));

async function lastRequest(noun: string, key: string): Promise<string> {
  const { history } = await registry.done(['history', noun, key]);
  return history.at(-1).request_id;
}

async function counts() {
  const { lists } = await registry.done('lists status');
  return Object.fromEntries(
    lists.map(({ list, count }: { list: string; count: number | null }) => [list, count]),
  );
}

test('history revert shows, asks for and publishes what it takes back', async () => {
  await registry.done('retained add b.ee c.ee --status reserved');
  const replace = ['retained', 'import', '-', '--status', 'reserved', '--replace', '--yes'];
  await registry.done(replace, 'name\nõ.ee\nb.ee\n');
  const request = await lastRequest('retained', 'õ.ee');
  const shown = await registry.run('history retained õ.ee');
  expect(shown.stdout).toContain(`, request ${request}\n`);

  const revert = ['history', 'revert', request];
  const lines =
    '  create retained c.ee: status: null to "reserved"; created_at: null to "TIME"\n  delete retained õ.ee: created_at: "TIME" to null; status: "reserved" to null\n';
  const shownBy = async (...args: string[]) => {
    const { status, stdout, stderr } = await registry.run([...revert, ...args]);
    const text = (stdout + stderr).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
    return { status, text };
  };
  const before = await registry.rows();
  expect(await shownBy('--dry-run')).toEqual({
    status: 0,
    text: `would revert request ${request}: 2 changes\n${lines}`,
  });
  expect(await shownBy()).toEqual({
    status: 1,
    text: `refused: would revert request ${request}: 2 changes\n${lines}This makes these changes. There is no terminal to ask on; confirm with --yes\n`,
  });
  expect(await registry.rows()).toEqual(before);

  expect(await registry.done([...revert, '--yes'])).toEqual({
    request,
    changes: [
      {
        ...{ action: 'create', subject: 'retained', key: 'c.ee', uuid: null },
        changes: {
          status: { from: null, to: 'reserved' },
          created_at: { from: null, to: expect.any(String) },
        },
      },
      {
        ...{ action: 'delete', subject: 'retained', key: 'õ.ee', uuid: null },
        changes: {
          created_at: { from: expect.any(String), to: null },
          status: { from: 'reserved', to: null },
        },
      },
    ],
    changed: true,
    request_id: expect.any(String),
    published: ['all', 'reserved'],
  });
  const { stdout } = await registry.run('retained export');
  expect(stdout).toBe(
    'name,status,password,last_day,comment\nb.ee,reserved,,,\nc.ee,reserved,,,\n',
  );
  expect(await counts()).toMatchObject({ all: 2, reserved: 2 });
});

/** The names of one import, of which the last is on the second page of its revert. */
async function importNames(ending: string, count = 5_001) {
  const names = Array.from({ length: count }, (_, n) => `n${n}${ending}.ee`);
  const file = `name,status\n${names.map((name) => `${name},blocked\n`).join('')}`;
  const { request_id: request } = await registry.done(['retained', 'import', '-'], file);
  // The newest come first.
  return { request, revert: ['history', 'revert', request], last: names[0]!, names };
}

test('a revert that is repeated says that it is done, and by which request', async () => {
  const { revert, request } = await importNames('done', 3);
  const { request_id: taking } = await registry.done([...revert, '--yes']);
  for (const options of [['--yes'], ['--dry-run'], ['--yes', '--skip-changed']]) {
    expect(await registry.run([...revert, ...options])).toEqual({
      status: 0,
      stdout: expect.stringContaining(
        `request ${request} was taken back by request ${taking}: 3 changes; to undo that: npm run registry -- history revert ${taking} `,
      ),
      stderr: '',
    });
  }
}, 60_000);

test('a long revert is judged whole: what changed on its last page stops it before it writes', async () => {
  const { revert, last } = await importNames('whole');
  await registry.done(['retained', 'remove', last, '--status', 'blocked']);
  const before = await registry.rows();
  const refused = await registry.run([...revert, '--yes']);
  expect(refused.stderr).toContain(`refused: create retained domain ${last}: changed since`);
  expect(await registry.rows()).toEqual(before);
}, 120_000);

test('--skip-changed takes back the rest, and names what it left', async () => {
  const { revert, request, names } = await importNames('skip', 3);
  const { request_id: meanwhile } = await registry.done([
    ...['retained', 'remove', names[1]!],
    ...['--status', 'blocked'],
  ]);
  const left = expect.stringContaining(
    `create retained domain ${names[1]}: changed since: delete by `,
  );
  const skip = [...revert, '--skip-changed'];
  expect((await registry.run([...skip, '--dry-run'])).stdout).toMatch(
    new RegExp(`would revert request ${request}: 2 changes\n[^]*  would leave: .*${meanwhile}\n$`),
  );
  const { request_id: taking, ...done } = await registry.done([...skip, '--yes']);
  expect(done).toMatchObject({ left: [left], changed: true });
  expect(await registry.done(skip)).toMatchObject({
    taken_back: { count: 2, requests: [taking] },
    left: [left],
    changed: false,
  });
  expect((await registry.run([...revert, '--yes'])).stderr).toContain(
    `refused: an earlier revert has taken back 2 of the changes (request ${taking}), and these cannot follow (npm run registry -- history revert ${request} --skip-changed `,
  );
}, 60_000);
