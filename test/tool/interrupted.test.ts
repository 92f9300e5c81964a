import { expect, test } from 'vitest';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { withoutPublishing } from './faults.ts';
import { contactHeader, openKept, startTool } from './tool.ts';

const tool = startTool();

/** A registry whose server goes away, or fails with this message, after so many batches. */
function untilGone(batches: number, message = 'other side closed'): OpenBindings {
  let left = batches;
  return async (options, access) => {
    const { env, dispose } = await openKept(options, access);
    const DB = {
      prepare: env.DB.prepare.bind(env.DB),
      batch: async (statements: D1PreparedStatement[]) => {
        left -= 1;
        if (left < 0) throw new Error(message);
        return env.DB.batch(statements);
      },
    };
    return { env: { ...env, DB: DB as unknown as D1Database }, dispose };
  };
}

test('does not claim to know whether a change was made whose answer was lost', async () => {
  const { directory } = await tool.newRegistry();
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved', '--persist-to', directory];
  const message =
    'other side closed; all or part of the change may have been made: check, then repeat the command';
  const run = (...more: string[]) => captured(() => runProgram([...args, ...more], untilGone(0)));
  expect(await run()).toEqual({ status: 1, stdout: '', stderr: `failed: ${message}\n` });
  const { status, stdout } = await run('--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ errors: [{ reason: 'unexpected', message }] });
});

/** The words of a command that was printed, as a shell reads them when nothing in it is quoted. */
const wordsOf = (command: string) => command.replace('npm run registry -- ', '').split(' ');

test('an import that fails says what it wrote, and the commands that continue it and take it back work', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 2_500 }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const args = ['retained', 'import', file, '--persist-to', registry.directory];
  const { status, stdout, stderr } = await captured(() => runProgram(args, untilGone(1)));
  const [, request, repeat, takeBack] =
    /by request (\S+)\nto write the rest: (.*)\nto take back what was written: (.*)\n/.exec(
      stderr,
    )!;
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.replace(/^checking.*\n/gm, '')).toBe(
    'failed: other side closed\n' +
      `1000 rows were written, and perhaps 1000 more, by request ${request}\n` +
      `to write the rest: npm run registry -- ${args.join(' ')}\n` +
      `to take back what was written: npm run registry -- history revert ${request} --persist-to ${registry.directory}\n` +
      'either command publishes the lists\n',
  );
  const count = async () => (await registry.rows()).retained_domains!.length;
  expect(await count()).toBe(1_000);
  await captured(() => runProgram([...wordsOf(takeBack!), '--yes'], openKept));
  expect(await count()).toBe(0);
  await captured(() => runProgram(wordsOf(repeat!), openKept));
  expect(await count()).toBe(2_500);
});

test('an import that fails says in JSON what it wrote', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const rows = Array.from(
    { length: 1_500 },
    (_, n) => `ALPHA:${n},Mari ${n},mari@example.ee,+372.5123456,${n},org,LV\n`,
  );
  const file = await registry.file('contacts.csv', contactHeader + rows.join(''));
  const place = ['--persist-to', registry.directory, '--json'];
  const args = ['contact', 'import', file, '--registrar', 'ALPHA', ...place];
  const { stdout } = await captured(() => runProgram(args, untilGone(1)));
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'unexpected', message: 'other side closed' }],
    ...{ request_id: expect.any(String), written: 1_000, uncertain: 500 },
    repeat: `npm run registry -- ${args.join(' ')}`,
    take_back: expect.stringMatching(/^npm run registry -- history revert \S+ --persist-to /),
  });
});

test('a revert that fails says how far it came, and the same command continues it', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 6_000 }, (_, n) => `nimi${n}.ee,blocked\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const { request_id: request } = await registry.done(['retained', 'import', file]);
  const place = ['--persist-to', registry.directory];
  const args = ['history', 'revert', request, '--yes', ...place];
  const { stderr } = await captured(() => runProgram(args, untilGone(1)));
  expect(stderr).toContain('\n5000 changes were written, and perhaps 1000 more, by request ');
  const [, repeat] = /to write the rest: (.*)\n/.exec(stderr)!;
  const { stdout } = await captured(() => runProgram(wordsOf(repeat!), openKept));
  expect(stdout).toContain(`reverted request ${request}: 1000 changes`);
  expect((await registry.rows()).retained_domains).toEqual([]);
});

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
      updated: 0,
      unchanged: 0,
      changed: true,
      request_id: expect.any(String),
    },
    published: [],
    not_published: ['all', 'reserved'],
    repeat: `npm run registry -- lists publish --persist-to ${registry.directory}`,
  });
});

test('a move of a registrar that fails after the domains is taken back, or continued, by the commands that it prints', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  await registry.addContacts('ALPHA:1', 'ALPHA:2');
  await registry.done('domain import -', 'name,registrar,registrant\na.ee,ALPHA,ALPHA:1\n');
  const place = ['--persist-to', registry.directory];
  const args = ['registrar', 'move', 'ALPHA', '--to', 'BETA', ...place, '--yes'];
  const { status, stderr } = await captured(() => runProgram(args, untilGone(2)));
  const [, request] = /by request (\S+)\n/.exec(stderr)!;
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      `request ${request}; if it ends early, the same command continues\n` +
      'failed: other side closed\n' +
      `1 change was written, and perhaps 2 more, by request ${request}\n` +
      `to write the rest: npm run registry -- ${args.join(' ')}\n` +
      `to take back what was written: npm run registry -- history revert ${request} ${place.join(' ')}\n`,
  });
  const stateOf = async () => [
    (await registry.done('domain show a.ee')).domain.registrar,
    (await registry.done('contact list --registrar ALPHA')).contacts.length,
    (await registry.done('contact list --registrar BETA')).contacts.length,
  ];
  expect(await stateOf()).toEqual(['BETA', 2, 1]);
  await registry.done(['history', 'revert', request!, '--yes']);
  expect(await stateOf()).toEqual(['ALPHA', 2, 0]);
  await captured(() => runProgram(args, openKept));
  expect(await stateOf()).toEqual(['BETA', 0, 2]);
});

test('an import that finds the disk full names the folder, what it wrote, and how to go on', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 1_500 }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const full = untilGone(1, 'D1_ERROR: database or disk is full: SQLITE_FULL');
  const args = ['retained', 'import', file, '--persist-to', registry.directory];
  const { stderr } = await captured(() => runProgram(args, full));
  expect(stderr.replace(/^checking.*\n/gm, '')).toMatch(
    new RegExp(
      `^failed: no space is left on the disk of ${registry.directory}\n1000 rows were written, and perhaps 500 more, by request \\S+\nto write the rest: `,
    ),
  );
});
