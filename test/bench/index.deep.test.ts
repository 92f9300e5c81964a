import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('loads every part in Node, the Worker included', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'test/bench/index.ts', 'nothing'],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe(
    'no part nothing; there are: lists, publishing, contacts, costs, bundle, storage, strangers, systems, busy\n',
  );
  expect(status).toBe(2);
});
