import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
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

test('says that a change is made but not published, and publishes when it is repeated', async () => {
  const registry = await tool.newRegistry();
  const args = ['retained', 'add', 'a.ee', '--status', 'reserved'];
  await using session = new SessionWithoutPublishing();
  const place = ['--persist-to', registry.directory];
  const failed = await captured(() => runProgram([...args, ...place], session));
  expect(failed).toMatchObject({ status: 1, stderr: '' });
  expect(failed.stdout).toMatch(
    /^added 1 reserved name, 0 already there\ndone; not published yet: all, reserved \(.*\); repeat the command to publish\n$/,
  );
  await session.close();
  const repeated = await registry.run(args);
  expect(repeated).toMatchObject({ status: 0, stderr: '' });
  expect(repeated.stdout).toContain('published: all, reserved');
});
