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
  expect(stdout).toBe('name,status,password,last_day\nb.ee,reserved,,\nc.ee,reserved,,\n');
  expect(await counts()).toMatchObject({ all: 2, reserved: 2 });
});
