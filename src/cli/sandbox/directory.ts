import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openRunningServer } from '../local-server.ts';

/**
 * Removes what an earlier sandbox left in the directory, and marks it as a sandbox's, so that nobody takes it for a
 * registry to keep. Returns why it can't be used, if it can't: a sandbox never touches other data.
 */
export async function prepareDirectory(
  directory: string,
  { isSandbox }: { isSandbox: boolean },
): Promise<string | undefined> {
  const mark = path.join(directory, 'sandbox');
  const data = path.join(directory, 'v3');
  const isMarked = existsSync(mark);
  if (!isSandbox) {
    return isMarked ? 'it belongs to a sandbox; start it with --sandbox' : undefined;
  }
  if (existsSync(data) && !isMarked) return 'it contains a registry that is not a sandbox';
  if (await openRunningServer(directory, undefined)) return 'a sandbox is running there';
  rmSync(data, { recursive: true, force: true });
  writeFileSync(mark, '');
  return undefined;
}
