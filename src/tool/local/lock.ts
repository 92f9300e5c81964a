import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { RegistryError } from '../../base/error.ts';
import { folderId } from './server.ts';

/**
 * Every process with a runtime on the data holds the lock, because two that write to one SQLite
 * file disturb each other. Waits for some seconds, unless `findServer` finds a server to use
 * instead. Throws `taken`, naming the holder.
 */
export async function takeLock<Server>(
  directory: string,
  owner: string,
  findServer: () => Promise<Server | undefined> = async () => undefined,
  waitMilliseconds = 15_000,
): Promise<{ lock: Disposable; server?: undefined } | { lock?: undefined; server: Server }> {
  for (const startedAt = Date.now(); ; await wait(100)) {
    const server = await findServer();
    if (server) return { server };
    const lock = tryLock(directory, `${owner} (process ${process.pid})`);
    if (lock) return { lock };
    if (Date.now() - startedAt > waitMilliseconds) {
      const message = `${readOwner(directory)} is at work on ${directory}; try again when it has ended`;
      throw new RegistryError('taken', message);
    }
  }
}

const noteOf = (directory: string) => path.join(directory, 'lock-holder');
const sqliteBusy = 5;

/** Uses SQLite's own lock, which ends with the process, even a killed one. */
function tryLock(directory: string, owner: string): Disposable | undefined {
  const database = new DatabaseSync(path.join(directory, 'lock'));
  try {
    database.exec('begin immediate');
  } catch (error) {
    database.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode === sqliteBusy) return undefined;
    throw new RegistryError('unexpected', `${directory} cannot be locked: ${message}`);
  }
  writeFileSync(noteOf(directory), `${folderId(directory)} ${owner}`);
  return database;
}

function readOwner(directory: string): string {
  const note = noteOf(directory);
  const [folder, ...owner] = (existsSync(note) ? readFileSync(note, 'utf8') : '').split(' ');
  return folder === folderId(directory) ? owner.join(' ') : 'another process';
}
