import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes the directory and those above it, and returns why it can't be written to, if it can't. Step by step: below
 * some directories, such as /proc, Node's recursive mkdir does not return.
 */
export function makeWritableDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  let existing = directory;
  while (!existsSync(existing)) {
    missing.unshift(existing);
    existing = path.dirname(existing);
  }
  if (!statSync(existing).isDirectory()) {
    return existing === directory ? 'it is a file' : `${existing} is a file`;
  }
  try {
    for (const each of missing) mkdirSync(each);
    accessSync(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    return `it cannot be written to (${(error as NodeJS.ErrnoException).code})`;
  }
}
