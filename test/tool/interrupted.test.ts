import { expect, onTestFinished, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import {
  noteCommandProgress,
  startCommandProgress,
  unfinishedReport,
} from '../../src/tool/report/command-progress.ts';
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

test('says how to go on when the server dies in the middle of an import, and what is not published', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 2_500 }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const args = ['retained', 'import', file, '--persist-to', registry.directory];
  const repeat = `npm run registry -- ${args.join(' ')}`;
  expect(await captured(() => runProgram(args, untilGone(2)))).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'failed: other side closed\n' +
      'a part may be done; not published yet: all, reserved, blocked; ' +
      `to finish, repeat the command, which leaves what is done as it is: ${repeat}\n`,
  });
  const { stdout } = await captured(() => runProgram([...args, '--json'], untilGone(0)));
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'unexpected', message: 'other side closed' }],
    changed: null,
    not_published: ['all', 'reserved', 'blocked'],
    repeat: `${repeat} --json`,
  });
});

test('does not claim to know whether a change was made whose answer was lost', async () => {
  const registry = await tool.newRegistry();
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved'];
  const place = ['--persist-to', registry.directory];
  const { status, stderr } = await captured(() => runProgram([...args, ...place], untilGone(0)));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'failed: other side closed\nthe change may have been made; check whether it was before you ' +
      `repeat the command: npm run registry -- ${[...args, ...place].join(' ')}\n`,
  });
});

test('says that a change is made but not published, and how to publish it', async () => {
  const registry = await tool.newRegistry();
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

test('says how to publish a restored registry that could not be, instead of restoring it again', async () => {
  const source = await tool.newRegistry();
  const file = `${source.directory}/backup.sqlite`;
  await source.done(['backup', file]);
  const registry = await tool.newRegistry();
  const args = ['restore', file, '--yes', '--json', '--persist-to', registry.directory];
  const { status, stdout } = await captured(() => runProgram(args, withoutPublishing));
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    repeat: `npm run registry -- lists publish --persist-to ${registry.directory}`,
  });
});

test('says at Ctrl-C while a change is published that it was made, and how to publish it', () => {
  onTestFinished(() => startCommandProgress([]));
  startCommandProgress(['auction', 'start', 'a.ee']);
  noteCommandProgress({ isChanged: 'yes', lists: ['all'], args: ['lists', 'publish'] });
  expect(unfinishedReport()).toMatchObject({
    data: { changed: true, not_published: ['all'], repeat: 'npm run registry -- lists publish' },
    text:
      'the change was made; not published yet: all; ' +
      'to publish: npm run registry -- lists publish',
  });
  noteCommandProgress({ lists: [] });
  expect(unfinishedReport()).toMatchObject({
    data: { changed: true },
    text: 'the change was made',
  });
});
