import { expect, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { openKept, startTool } from './tool.ts';

const tool = startTool();

/** A registry whose lists can be read but not written. */
const withoutPublishing: OpenBindings = async (options, access) => {
  const { env, dispose } = await openKept(options, access);
  const put = () => Promise.reject(new Error('KV is down'));
  const LISTS = { list: env.LISTS.list.bind(env.LISTS), get: env.LISTS.get.bind(env.LISTS), put };
  return { env: { ...env, LISTS: LISTS as unknown as KVNamespace }, dispose };
};

/** A registry whose server goes away after so many batches. */
function untilGone(batches: number): OpenBindings {
  let left = batches;
  return async (options, access) => {
    const { env, dispose } = await openKept(options, access);
    const DB = {
      prepare: env.DB.prepare.bind(env.DB),
      batch: async (statements: D1PreparedStatement[]) => {
        left -= 1;
        if (left < 0) throw new Error('other side closed');
        return env.DB.batch(statements);
      },
    };
    return { env: { ...env, DB: DB as unknown as D1Database }, dispose };
  };
}

test.each(['retained import FILE', 'retained add a.ee --status reserved'])(
  'does not claim to know whether the change of %s was made whose answer was lost',
  async (command) => {
    const registry = await tool.newRegistry();
    const file = await registry.file('names.csv', 'name,status\na.ee,reserved\n');
    const args = command.replace('FILE', file).split(' ');
    const place = ['--persist-to', registry.directory];
    const message =
      'other side closed; all or part of the change may have been made: check, then repeat the command';
    const run = (...more: string[]) =>
      captured(() => runProgram([...args, ...place, ...more], untilGone(0)));
    expect(await run()).toEqual({ status: 1, stdout: '', stderr: `failed: ${message}\n` });
    const { status, stdout } = await run('--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ errors: [{ reason: 'unexpected', message }] });
  },
);

test('says that a change is made but not published, and how to publish it', async () => {
  const registry = await tool.newRegistry();
  await registry.done('lists publish');
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved'];
  const place = ['--persist-to', registry.directory];
  const failed = await captured(() => runProgram([...args, ...place], withoutPublishing));
  expect(failed).toMatchObject({ status: 1, stderr: expect.stringMatching(/^request .*\n$/) });
  expect(failed.stdout).toBe(
    'added 1 reserved name, 0 already there\n' +
      'done; not published yet: all, reserved (list all was not published; list reserved was not published); ' +
      `to publish: npm run registry -- lists publish --persist-to ${registry.directory}\n`,
  );
  const { published } = await registry.done('lists publish');
  expect(published).toEqual(expect.arrayContaining(['all', 'reserved']));
});

test('says in JSON that a change is made but not published', async () => {
  const registry = await tool.newRegistry();
  await registry.done('lists publish');
  const place = ['--persist-to', registry.directory, '--json'];
  const { status, stdout } = await captured(() =>
    runProgram(['retained', 'add', 'a.ee', '--status', 'reserved', ...place], withoutPublishing),
  );
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    errors: [
      {
        reason: 'unexpected',
        message: 'list all was not published; list reserved was not published',
      },
    ],
    ...{
      status: 'reserved',
      added: 1,
      unchanged: 0,
      changed: true,
      request_id: expect.any(String),
    },
    published: [],
    not_published: ['all', 'reserved'],
    repeat: `npm run registry -- lists publish --persist-to ${registry.directory}`,
  });
});
