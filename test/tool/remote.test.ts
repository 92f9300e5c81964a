import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { runProgram } from '../../src/tool/program.ts';
import { remoteConfig } from '../../src/tool/remote.ts';
import { confirm } from '../../src/tool/report/confirm.ts';
import { captured } from './captured.ts';
import { TestRegistry } from './tool.ts';

function configWith(ids: { database: string; lists: string }) {
  const config = unstable_readConfig({ config: './wrangler.toml', env: 'production' });
  config.d1_databases[0]!.database_id = ids.database;
  config.d1_databases[0]!.preview_database_id = 'preview';
  config.kv_namespaces[0]!.id = ids.lists;
  config.kv_namespaces[0]!.preview_id = 'preview';
  return config;
}

const database = '1b3ee442-e8fe-4922-9492-8fcb9dccc69c';
const lists = '0123456789abcdef0123456789abcdef';

test('asks wrangler for the deployed bindings and no preview ones', () => {
  const { d1_databases, kv_namespaces } = remoteConfig(configWith({ database, lists }));
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

test('refuses the ids that stand in wrangler.toml before there is a deployment', () => {
  const placeholder = '00000000-0000-0000-0000-000000000000';
  expect(() => remoteConfig(configWith({ database: placeholder, lists }))).toThrow(
    'wrangler.toml has no id of a deployed database',
  );
});

/** A terminal on which somebody types this. */
function terminal(typed: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end(`${typed}\n`);
  const output = new PassThrough();
  return { input, output };
}

test('names the deployed database, and goes on after yes', async () => {
  const { input, output } = terminal('y');
  await confirm('This removes 7 names.', 'confirm with --yes', { input, output });
  output.end();
  expect(await text(output)).toContain('This removes 7 names. Continue? [y/N]');
});

test.each(['', 'n', 'yesterday'])('does not continue after %j', async (typed) => {
  const { input, output } = terminal(typed);
  await expect(confirm('', '', { input, output })).rejects.toThrow('not confirmed');
});

test('refuses --remote with --persist-to as wrong usage', async () => {
  const { status, stderr } = await new TestRegistry('/nonexistent').run([
    'registrar',
    'list',
    '--remote',
  ]);
  expect(stderr).toContain("option '--persist-to <dir>' cannot be used with option '--remote'");
  expect(status).toBe(2);
});

test('--remote asks for the deployed database', async () => {
  const { status, stderr } = await captured(() => runProgram(['registrar', 'list', '--remote']));
  expect(stderr).toBe(
    'refused: wrangler.toml has no id of a deployed database registry-edge; deploy the registry first\n',
  );
  expect(status).toBe(1);
});
