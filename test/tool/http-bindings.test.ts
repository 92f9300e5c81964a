import { expect, test } from 'vitest';
import { databaseOver } from '../../src/tool/local/http-bindings.ts';

test('reads the first row, or a column of it, as D1 does', async () => {
  const read = (results: object[]) => databaseOver(async () => [{ results }]).prepare('select');
  const rows = [
    { name: 'alpha', id: 1 },
    { name: 'beta', id: 2 },
  ];
  expect(await read(rows).first()).toEqual({ name: 'alpha', id: 1 });
  expect(await read(rows).first('id')).toBe(1);
  expect(await read([]).first('id')).toBeNull();
});
