import { expect, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { runProgram } from '../../src/tool/program.ts';
import { remoteConfig } from '../../src/tool/remote.ts';
import { captured } from './captured.ts';

test('asks wrangler for the deployed bindings and no preview ones', () => {
  const [database, lists] = [
    '1b3ee442-e8fe-4922-9492-8fcb9dccc69c',
    '0123456789abcdef0123456789abcdef',
  ];
  const config = unstable_readConfig({ config: './wrangler.toml', env: 'production' });
  config.d1_databases[0]!.database_id = database;
  config.d1_databases[0]!.preview_database_id = 'preview';
  config.kv_namespaces[0]!.id = lists;
  config.kv_namespaces[0]!.preview_id = 'preview';
  const { d1_databases, kv_namespaces } = remoteConfig(config);
  expect(d1_databases).toEqual([
    {
      binding: 'DB',
      database_name: expect.stringMatching(/^registry-edge/),
      database_id: database,
      remote: true,
    },
  ]);
  expect(kv_namespaces).toEqual([{ binding: 'LISTS', id: lists, remote: true }]);
});

test('--remote asks for the deployed database, and refuses the id that stands for it before there is one', async () => {
  const { status, stderr } = await captured(() => runProgram(['registrar', 'list', '--remote']));
  expect(stderr).toBe(
    'refused: wrangler.toml has no id of a deployed database registry-edge; deploy the registry first\n',
  );
  expect(status).toBe(1);
});
