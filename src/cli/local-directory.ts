import path from 'node:path';
import { projectDirectory } from './project.ts';

/** Where the local data is kept: --persist-to, from the user's directory. */
export function localDirectory(persistTo: string | undefined): string {
  return persistTo === undefined
    ? path.join(projectDirectory, '.wrangler/state')
    : path.resolve(persistTo);
}
