import { existsSync, statfsSync } from 'node:fs';
import { RegistryError } from '../../base/error.ts';
import { messageOf } from '../../view/message.ts';

/** Of SQLite, also behind the runtime. */
const databaseFull = /SQLITE_FULL|database or disk is full/;

/** Node says it of standard output, too. */
const fileFull = /ENOSPC/;

/** Names the folder that has no room, if that is the cause of a failure. Otherwise returns the error. */
export function explainFullDisk(error: unknown, folder: string): unknown {
  return fileFull.test(messageOf(error)) ? noSpace(folder) : explainFullDatabase(error, folder);
}

/** The runtime hides some causes, and prints them itself. */
const hidden = /^internal error; reference = /;
const littleBytes = 16_000_000;

/** The same for a database alone. Adds to a failure that the runtime hides how little room is left, if it is little. */
export function explainFullDatabase(error: unknown, folder: string): unknown {
  const message = messageOf(error);
  if (databaseFull.test(message)) return noSpace(folder);
  if (!hidden.test(message) || !existsSync(folder)) return error;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize > littleBytes) return error;
  const left = `the disk of ${folder} has ${Math.floor((bavail * bsize) / 1000)} kB left`;
  return new RegistryError('unexpected', `${message}; ${left}`);
}

function noSpace(folder: string): RegistryError {
  return new RegistryError('unexpected', `no space is left on the disk of ${folder}`);
}
