import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { standingReport, startStanding, updateStanding } from '../../src/cli/report/standing.ts';
import { Session } from '../../src/cli/session.ts';
import { captured } from './captured.ts';
import { startTool } from './tool.ts';

const tool = startTool();

/** A registry whose lists can be read but not written. */
class SessionWithoutPublishing extends Session {
  override async bindings(...args: Parameters<Session['bindings']>) {
    const { env, dispose } = await super.bindings(...args);
    const put = () => Promise.reject(new Error('KV is down'));
    const LISTS = { list: env.LISTS.list.bind(env.LISTS), get: env.LISTS.get.bind(env.LISTS), put };
    return { env: { ...env, LISTS: LISTS as unknown as KVNamespace }, dispose };
  }
}

/** A registry whose server goes away after so many batches. */
class SessionUntilGone extends Session {
  private left: number;
  constructor(batches: number) {
    super();
    this.left = batches;
  }
  override async bindings(...args: Parameters<Session['bindings']>) {
    const { env, dispose } = await super.bindings(...args);
    const DB = {
      prepare: env.DB.prepare.bind(env.DB),
      batch: async (statements: D1PreparedStatement[]) => {
        this.left -= 1;
        if (this.left < 0) throw new Error('other side closed');
        return env.DB.batch(statements);
      },
    };
    return { env: { ...env, DB: DB as unknown as D1Database }, dispose };
  }
}

test('says how many rows are in when the server dies, how many are not, and what is not published', async () => {
  const registry = await tool.newRegistry();
  const rows = Array.from({ length: 2_500 }, (_, n) => `nimi${n}.ee,reserved\n`);
  const file = await registry.file('names.csv', `name,status\n${rows.join('')}`);
  const args = ['retained', 'import', file, '--persist-to', registry.directory];
  await using session = new SessionUntilGone(2);
  const repeat = `npm run registry -- ${args.join(' ')}`;
  expect(await captured(() => runProgram(args, session))).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'failed: other side closed\n' +
      'at least 2000 rows done, 500 not; not published yet: all, reserved, blocked; ' +
      `to finish, repeat the command, which leaves what is done as it is: ${repeat}\n`,
  });
  await using other = new SessionUntilGone(0);
  const { stdout } = await captured(() => runProgram([...args, '--json'], other));
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ reason: 'unexpected', message: 'other side closed' }],
    changed: null,
    rows_done: 0,
    rows_left: 2500,
    not_published: ['all', 'reserved', 'blocked'],
    repeat: `${repeat} --json`,
  });
});

test('counts the rows that a replacement was still going to remove', async () => {
  const registry = await tool.newRegistry();
  await registry.done(['registrar', 'add', '--code', 'ALPHA', '--name', 'Alpha OÜ']);
  const contact =
    'code,name,email,phone,ident,ident_type,ident_country_code\nALPHA:1,Jaan Tamm,jaan@example.ee,+372.5123456,12345671,org,EE\n';
  await registry.done(['contact', 'import', '-'], contact);
  const rows = (...names: string[]) =>
    `name,registrar,registrant\n${names.map((name) => `${name},ALPHA,ALPHA:1\n`).join('')}`;
  await registry.done(['domain', 'import', '-'], rows('a.ee', 'b.ee', 'c.ee'));
  const place = ['--persist-to', registry.directory, '--json'];
  const args = ['domain', 'import', '-', '--replace', '--yes', ...place];
  await using session = new SessionUntilGone(0);
  const { stdout } = await captured(() => runProgram(args, session), rows('c.ee', 'd.ee'));
  expect(JSON.parse(stdout)).toMatchObject({ rows_done: 0, rows_left: 4 });
});

test('does not claim to know whether a change was made whose answer was lost', async () => {
  const registry = await tool.newRegistry();
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved'];
  await using session = new SessionUntilGone(0);
  const place = ['--persist-to', registry.directory];
  const { status, stderr } = await captured(() => runProgram([...args, ...place], session));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'failed: other side closed\nthe change may have been made; look whether it was before you ' +
      `repeat the command: npm run registry -- ${[...args, ...place].join(' ')}\n`,
  });
});

test('says that a change is made but not published, and how to publish it', async () => {
  const registry = await tool.newRegistry();
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved'];
  await using session = new SessionWithoutPublishing();
  const place = ['--persist-to', registry.directory];
  const failed = await captured(() => runProgram([...args, ...place], session));
  expect(failed).toMatchObject({ status: 1, stderr: '' });
  expect(failed.stdout).toBe(
    'added 1 reserved name, 0 already there\n' +
      'done; not published yet: all, reserved (list all was not published; list reserved was not published); ' +
      `to publish: npm run registry -- lists publish --persist-to ${registry.directory}\n`,
  );
  await session.close();
  const { published } = await registry.done(['lists', 'publish']);
  expect(published).toEqual(expect.arrayContaining(['all', 'reserved']));
});

test('says in JSON that a change is made but not published', async () => {
  const registry = await tool.newRegistry();
  await using session = new SessionWithoutPublishing();
  const place = ['--persist-to', registry.directory, '--json'];
  const { status, stdout } = await captured(() =>
    runProgram(['retained', 'add', 'a.ee', '--status', 'reserved', ...place], session),
  );
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    errors: [
      {
        reason: 'unexpected',
        message: 'list all was not published; list reserved was not published',
      },
    ],
    ...{ status: 'reserved', added: 1, unchanged: 0, changed: true },
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
  await using session = new SessionWithoutPublishing();
  const args = ['restore', file, '--yes', '--json', '--persist-to', registry.directory];
  const { status, stdout } = await captured(() => runProgram(args, session));
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    repeat: `npm run registry -- lists publish --persist-to ${registry.directory}`,
  });
});

test('says at Ctrl-C while a change is published that it was made, and how to publish it', () => {
  onTestFinished(() => startStanding([]));
  startStanding(['auction', 'start', 'a.ee']);
  updateStanding({ isChanged: 'yes', lists: ['all'], args: ['lists', 'publish'] });
  expect(standingReport()).toMatchObject({
    data: { changed: true, not_published: ['all'], repeat: 'npm run registry -- lists publish' },
    text:
      'the change was made; not published yet: all; ' +
      'to publish: npm run registry -- lists publish',
  });
  updateStanding({ lists: [] });
  expect(standingReport()).toMatchObject({ data: { changed: true }, text: 'the change was made' });
});
