import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('says what to do where nobody is logged in', async () => {
  const args = ['src/tool/deploy/index.ts', '--env', 'staging', '--dry-run'];
  const deploying = promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH },
  });
  await expect(deploying).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^You are not logged in\. Run npx wrangler login/),
  });
}, 120_000);
