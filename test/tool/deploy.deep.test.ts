import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { runWrangler } from '../../src/tool/wrangler.ts';

it('prints the steps for an empty account where nobody is logged in', async () => {
  const args = ['src/tool/deploy/index.ts', '--env', 'staging', '--dry-run'];
  const deploying = promisify(execFile)(process.execPath, args, {
    // An operator's setting that would leave wrangler's answer out.
    env: { PATH: process.env.PATH, WRANGLER_LOG: 'error' },
  });
  await expect(deploying).resolves.toMatchObject({
    stdout: expect.stringMatching(
      /^1\. Login: You are not logged in\. Run npx wrangler login.*No account was looked at/s,
    ),
  });
}, 120_000);

it('passes the warnings of wrangler on', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'registry-warnings-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const config = path.join(directory, 'wrangler.toml');
  writeFileSync(
    path.join(directory, 'worker.js'),
    'export default { fetch: () => new Response() };',
  );
  writeFileSync(
    config,
    'placemnt = 1\nname = "a"\nmain = "worker.js"\ncompatibility_date = "2026-11-01"\n',
  );
  const warnings: string[] = [];
  const args = ['deploy', '--dry-run', '--config', config];
  const answer = await runWrangler(args, undefined, (warning) => warnings.push(warning));
  expect(answer).toContain('--dry-run: exiting now.');
  expect(warnings).toEqual([
    expect.stringContaining('Unexpected fields found in top-level field: "placemnt"'),
  ]);
});
