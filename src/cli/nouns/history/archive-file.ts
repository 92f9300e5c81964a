import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { RegistryError } from '../../../error.ts';
import type { HistoryEntry } from '../../../history/search.ts';
import { historyData } from './entry.ts';

const line = z.looseObject({
  id: z.int().positive(),
  occurred_at: z.string(),
  subject: z.string(),
  key: z.string(),
  request_id: z.string().nullable(),
});

/** Identifies an entry by values that no erasure changes. */
function identityOf({ occurred_at, subject, key, request_id }: Omit<z.infer<typeof line>, 'id'>) {
  return JSON.stringify([occurred_at, subject, key, request_id]);
}

/** The beginning of every line, which tells a line that was cut off from other text. */
const lineStart = '{"id":';

/**
 * Opens an archive of history, or creates one that only its owner can read. Entries that it has already, from `firstId`
 * (the first in the database) on, are not appended again. A line that a killed process left unfinished is removed,
 * because its entry is still in the database. Throws `invalid` for any other file, and leaves it as it was.
 */
export async function openArchive(name: string, firstId: number) {
  const handle = await open(name, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return open(name, 'wx+', 0o600);
  });
  try {
    const { recent, wholeBytes } = await readEntries(name, handle, firstId);
    await handle.truncate(wholeBytes);
    let end = wholeBytes;
    /** Throws `taken` if the file has another entry with this id. */
    const has = (entry: HistoryEntry) => {
      const found = recent.get(entry.id);
      if (found === undefined) return false;
      if (found === identityOf(historyData(entry))) return true;
      throw new RegistryError(
        'taken',
        `${name} has another entry ${entry.id}: it is the archive of another registry, or of this one before a restore; ` +
          'name another file, and add --force',
      );
    };
    return {
      /** Appends the missing entries and returns how many, once they are on the disk. */
      async append(entries: readonly HistoryEntry[]): Promise<number> {
        const missing = entries.filter((entry) => !has(entry));
        const lines = missing.map(
          (entry) => `${JSON.stringify({ id: entry.id, ...historyData(entry) })}\n`,
        );
        const bytes = Buffer.from(lines.join(''));
        // Writes at a position: a process that has lost the archive to another writes the same bytes there again.
        for (let written = 0; written < bytes.length; ) {
          const rest = bytes.subarray(written);
          written += (await handle.write(rest, { position: end + written })).bytesWritten;
        }
        await handle.sync();
        end += bytes.length;
        return missing.length;
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The identities of the entries from `firstId` on, and where the last whole line ends. */
async function readEntries(name: string, handle: FileHandle, firstId: number) {
  const recent = new Map<number, string>();
  let wholeBytes = 0;
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  const chunks = handle.createReadStream({ autoClose: false, start: 0 });
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = rest.indexOf(10); to >= 0; to = rest.indexOf(10, from)) {
      number += 1;
      const entry = parseLine(rest.toString('utf8', from, to));
      if (!entry) throw notAnArchive(name, number);
      if (entry.id >= firstId) recent.set(entry.id, identityOf(entry));
      from = to + 1;
    }
    wholeBytes += from;
    rest = rest.subarray(from);
  }
  const cut = rest.toString('utf8').slice(0, lineStart.length);
  if (!lineStart.startsWith(cut)) throw notAnArchive(name, number + 1);
  return { recent, wholeBytes };
}

function parseLine(text: string) {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function notAnArchive(name: string, number: number): RegistryError {
  const message = `${name}: line ${number} is not an entry of history; name a new file, or one that history archive has written`;
  return new RegistryError('invalid', message);
}
