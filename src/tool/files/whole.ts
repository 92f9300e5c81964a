import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { RegistryError } from '../../base/error.ts';
import { explainFullDisk } from '../local/disk.ts';
import { temporaryDirectory } from './temporary.ts';

/**
 * Has `write` fill a file in a private directory beside the target, and renames it once it is complete and on the disk. An existing file stays
 * until then. With `isNew`, throws `taken` if a file with other content exists.
 */
export async function writeWhole<Result>(
  file: string,
  write: (target: string) => Promise<Result>,
  { isNew = false } = {},
): Promise<Result> {
  const real = existsSync(file) ? realpathSync(file) : file;
  if (existsSync(real) && statSync(real).isDirectory()) {
    throw new RegistryError('taken', `${file} is a directory; name a file`);
  }
  // A device or a pipe has no content to replace.
  if (existsSync(real) && !statSync(real).isFile()) return write(real);
  try {
    using directory = temporaryDirectory(`${real}.partial-`);
    const target = path.join(directory.path, 'whole');
    const result = await write(target);
    chmodSync(target, 0o600);
    // A file that is renamed before it is on the disk can be empty after a power cut.
    const descriptor = openSync(target, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    if (isNew && existsSync(real) && !readFileSync(target).equals(readFileSync(real))) {
      const message = `${file} already exists, with other content; move it away or name another file`;
      throw new RegistryError('taken', message);
    }
    renameSync(target, real);
    return result;
  } catch (error) {
    throw writeError(file, error);
  }
}

const writingCalls = ['mkdtemp', 'open', 'write', 'fsync', 'rename'];

function writeError(file: string, error: unknown): unknown {
  const { errno, syscall = '' } = error as NodeJS.ErrnoException;
  if (errno === undefined || !writingCalls.includes(syscall)) {
    return explainFullDisk(error, path.dirname(path.resolve(file)));
  }
  const message = `${file} cannot be written: ${getSystemErrorMessage(errno)}`;
  return new RegistryError('unexpected', message);
}
