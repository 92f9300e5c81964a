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
    '  create retained c.ee: status: null to "reserved"\n  delete retained õ.ee: status: "reserved" to null\n';
  const before = await registry.rows();
  expect(await registry.run([...revert, '--dry-run'])).toMatchObject({
    status: 0,
    stdout: `would revert request ${request}: 2 changes\n${lines}`,
  });
  expect(await registry.run(revert)).toMatchObject({
    status: 1,
    stderr: `refused: would revert request ${request}: 2 changes\n${lines}This makes these changes. There is no terminal to ask on; confirm with --yes\n`,
  });
  expect(await registry.rows()).toEqual(before);

  expect(await registry.done([...revert, '--yes'])).toEqual({
    request,
    changes: [
      {
        ...{ action: 'create', subject: 'retained', key: 'c.ee', uuid: null },
        changes: { status: { from: null, to: 'reserved' } },
      },
      {
        ...{ action: 'delete', subject: 'retained', key: 'õ.ee', uuid: null },
        changes: { status: { from: 'reserved', to: null } },
      },
    ],
    changed: true,
    request_id: expect.any(String),
    published: ['all', 'reserved'],
  });
  const { stdout } = await registry.run('retained export');
  expect(stdout).toBe('name,status,password,last_day\nb.ee,reserved,,\nc.ee,reserved,,\n');
  expect(await counts()).toMatchObject({ all: 2, reserved: 2 });
});
