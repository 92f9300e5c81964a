import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../error.ts';

/**
 * Removes what an earlier sandbox left in the directory, and marks it as a sandbox's, so that nobody takes it for a
 * registry to keep. Throws `taken` if it can't be used: a sandbox never touches other data.
 */
export function prepareDirectory(directory: string, { isSandbox }: { isSandbox: boolean }): void {
  const mark = path.join(directory, 'sandbox');
  const data = path.join(directory, 'v3');
  const isMarked = existsSync(mark);
  const refuse = (problem: string) => {
    throw new RegistryError('taken', `--persist-to ${directory}: ${problem}`);
  };
  if (!isSandbox) {
    if (isMarked) refuse('it belongs to a sandbox; start it with --sandbox');
    return;
  }
  if (existsSync(data) && !isMarked) refuse('it contains a registry that is not a sandbox');
  rmSync(data, { recursive: true, force: true });
  writeFileSync(mark, '');
}
