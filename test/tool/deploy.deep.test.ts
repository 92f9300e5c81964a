import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('prints the steps for an empty account where nobody is logged in', async () => {
  const args = ['src/tool/deploy/index.ts', '--env', 'staging', '--dry-run'];
  const deploying = promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH },
  });
  await expect(deploying).resolves.toMatchObject({
    stdout: expect.stringMatching(
      /^1\. Login: You are not logged in\. Run npx wrangler login.*No account was looked at/s,
    ),
  });
}, 120_000);
