import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs `npm run check` beside the tests of `npm test`, and prints after them what it has found. */
export default function check(): () => Promise<void> {
  const isWanted = process.env.npm_lifecycle_event === 'test';
  const checked = isWanted ? run('npm', ['run', '--silent', 'check']) : undefined;
  const found = checked?.then(
    () => undefined,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  );
  return async () => {
    const problems = await found;
    if (problems === undefined) return;
    process.stderr.write(`\nnpm run check:\n${problems}`);
    process.exitCode = 1;
  };
}
