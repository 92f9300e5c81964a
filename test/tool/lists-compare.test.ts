import { beforeEach, expect, test } from 'vitest';
import { decompressJson } from '../../src/list/format/gzip.ts';
import type { Head } from '../../src/list/format/head.ts';
import { blockKey, headKey } from '../../src/list/kv.ts';
import { startTool, type TestRegistry } from './tool.ts';

const tool = startTool();
let registry: TestRegistry;

beforeEach(async () => {
  registry = await tool.newRegistry();
  const names = 'name,status\na.ee,reserved\nb.ee,reserved\nc.ee,blocked\n';
  await registry.done('retained import -', names);
  await registry.done('lists publish');
});

interface State {
  list: string;
  etag: string;
  matches_database: boolean | null;
  last_change: { added: number | null; removed: number | null };
}

async function compared(): Promise<Record<string, State>> {
  const { lists } = await registry.done('lists status --compare');
  return Object.fromEntries(lists.map((state: State) => [state.list, state]));
}

const matches = async () =>
  Object.entries(await compared()).map(([list, state]) => [list, state.matches_database]);

const same = [
  ['auctions', true],
  ['all', true],
  ['reserved', true],
  ['blocked', true],
  ['disputed', true],
];

async function withKv(change: (kv: KVNamespace) => Promise<unknown>): Promise<void> {
  const { env, dispose } = await registry.open();
  await change(env.LISTS);
  await dispose();
}

test('lists status --compare finds the list that KV does not have as the database says', async () => {
  expect(await matches()).toEqual(same);
  const { stdout } = await registry.run('lists status --compare');
  expect(stdout).toMatch(/ MATCHES DATABASE\n.* yes\n/);
  await withKv(async (kv) => {
    const head = async (list: 'all' | 'blocked') =>
      decompressJson<Head>((await kv.get(headKey(list), 'arrayBuffer'))!);
    const [all, blocked] = [await head('all'), await head('blocked')];
    // Everything about the list is as it was, but for what is in its block.
    const foreign = await kv.get(blockKey('blocked', blocked.blocks[0]!), 'arrayBuffer');
    await kv.put(blockKey('all', all.blocks[0]!), foreign!);
  });
  expect(await matches()).toEqual(same.map(([list]) => [list, list !== 'all']));
});

test('lists status --compare says nothing of a list that is behind', async () => {
  await withKv((kv) => kv.delete(headKey('reserved')));
  expect(await matches()).toEqual(same.map(([list]) => [list, list === 'reserved' ? null : true]));
});

test('lists publish --force keeps the ETag of a list that is as the database says, and lists status shows that nothing differed', async () => {
  const before = await compared();
  expect(await registry.done('lists publish --force')).toMatchObject({ changed: true });
  const after = await compared();
  for (const [list, { etag }] of Object.entries(before)) {
    expect(after[list]).toMatchObject({ etag, last_change: { added: 0, removed: 0 } });
  }
});

test('lists publish --force replaces a list that is not as the database says, and lists status shows what differed', async () => {
  registry.edit(`delete from retained_domains where name = 'a.ee';
    update list_publications set source_version = (select reserved from list_sources) where list = 'reserved'`);
  expect((await compared()).reserved).toMatchObject({ behind: false, matches_database: false });
  await registry.done('lists publish --force');
  expect((await compared()).reserved).toMatchObject({
    ...{ count: 1, matches_database: true, last_change: { added: 0, removed: 1 } },
  });
});
