import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RegistryError } from '../../error.ts';

/**
 * Empties the directory of an earlier sandbox, and marks it, so that nobody takes it for a registry to keep. Throws
 * `taken` for a sandbox in the directory of another registry, and the reverse.
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
