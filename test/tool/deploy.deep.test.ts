import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { steps } from '../../src/tool/deploy/steps.ts';

it('prints every step and does none with --dry-run, without an account', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/tool/deploy/index.ts', '--env', 'staging', '--dry-run'],
    { env: { PATH: process.env.PATH } },
  );
  const titles = stdout.split('\n').filter((line) => /^\d/.test(line));
  expect(titles).toEqual(
    steps.map(({ title }, index) => expect.stringContaining(`${index + 1}. ${title}: `)),
  );
  expect(stdout).toContain('     wrangler d1 migrations apply DB --remote --env staging\n');
  expect(stdout).toContain('\nNothing was changed.\nWithout a login, ');
}, 120_000);
