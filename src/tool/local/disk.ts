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

/** The same for a database alone. */
export function explainFullDatabase(error: unknown, folder: string): unknown {
  return databaseFull.test(messageOf(error)) ? noSpace(folder) : error;
}

function noSpace(folder: string): RegistryError {
  return new RegistryError('unexpected', `no space is left on the disk of ${folder}`);
}
