import path from 'node:path';
import { projectDirectory } from './project.ts';

/** Where the local data is kept: --persist-to, from the user's directory, or one below .wrangler. */
export function localDirectory(
  persistTo: string | undefined,
  name: 'state' | 'sandbox' = 'state',
): string {
  return persistTo === undefined
    ? path.join(projectDirectory, '.wrangler', name)
    : path.resolve(persistTo);
}
