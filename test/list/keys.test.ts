import { expect, test } from 'vitest';
import { listKeys } from '../../src/list/kv.ts';

test('lists keys page by page, however few KV gives at once', async () => {
  const names = ['block/1', 'block/2', 'block/3', 'block/4', 'block/5'];
  const kv = {
    async list({ prefix, cursor = '0' }: KVNamespaceListOptions) {
      const found = names.filter((name) => name.startsWith(prefix!));
      const next = Number(cursor) + 2;
      const keys = found.slice(Number(cursor), next).map((name) => ({ name }));
      return next < found.length
        ? { keys, list_complete: false, cursor: String(next) }
        : { keys, list_complete: true };
    },
  } as unknown as KVNamespace;
  expect((await listKeys(kv, 'block/')).map(({ name }) => name)).toEqual(names);
});
