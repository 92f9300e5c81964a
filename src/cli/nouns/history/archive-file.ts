import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { RegistryError } from '../../../error.ts';
import type { HistoryEntry } from '../../../history/search.ts';
import { historyData } from './entry.ts';

/** A line of the file: an entry by its id, as `history` shows it. */
const line = z.looseObject({
  id: z.int().positive(),
  occurred_at: z.string(),
  subject: z.string(),
  key: z.string(),
  request_id: z.string().nullable(),
});

/** The values by which an entry is recognized: an erasure may have changed others since. */
function identityOf({ occurred_at, subject, key, request_id }: Omit<z.infer<typeof line>, 'id'>) {
  return JSON.stringify([occurred_at, subject, key, request_id]);
}

/** The beginning of every line, by which one that was cut off is known. */
const lineStart = '{"id":';

/**
 * A file of archived history that entries are appended to, each once. A line that a killed process has left unfinished
 * is overwritten: its entry was not removed from the database.
 */
export class ArchiveFile implements AsyncDisposable {
  readonly #name: string;
  readonly #handle: FileHandle;
  /** The identities of the entries that may still be in the database as well. */
  readonly #recent = new Map<number, string>();
  /** Where the next line begins. */
  #end = 0;

  private constructor(name: string, handle: FileHandle) {
    this.#name = name;
    this.#handle = handle;
  }

  /**
   * Opens the file, or creates one that only its owner can read. Remembers its entries from `firstId` on, which is the
   * first in the database. Throws `invalid` for a file that is not an archive, and leaves it as it was.
   */
  static async open(name: string, firstId: number): Promise<ArchiveFile> {
    // Not for appending: an unfinished line is overwritten.
    const handle = await open(name, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return open(name, 'wx+', 0o600);
    });
    const file = new ArchiveFile(name, handle);
    try {
      await file.#read(firstId);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return file;
  }

  async #read(firstId: number): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    let number = 0;
    const chunks = this.#handle.createReadStream({ autoClose: false, start: 0 });
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      let from = 0;
      for (let to = rest.indexOf(10); to >= 0; to = rest.indexOf(10, from)) {
        number += 1;
        const entry = this.#parse(rest.toString('utf8', from, to), number);
        if (entry.id >= firstId) this.#recent.set(entry.id, identityOf(entry));
        from = to + 1;
      }
      this.#end += from;
      rest = rest.subarray(from);
    }
    const cut = rest.toString('utf8').slice(0, lineStart.length);
    if (!lineStart.startsWith(cut)) throw this.#notAnArchive(number + 1);
    await this.#handle.truncate(this.#end);
  }

  #parse(text: string, number: number) {
    try {
      return line.parse(JSON.parse(text));
    } catch {
      throw this.#notAnArchive(number);
    }
  }

  #notAnArchive(number: number): RegistryError {
    return new RegistryError(
      'invalid',
      `${this.#name}: line ${number} is not an entry of history; name a new file, or one that history archive has written`,
    );
  }

  /** Writes the entries that are not in the file, and returns how many, once they are on the disk. */
  async append(entries: readonly HistoryEntry[]): Promise<number> {
    const missing = entries.filter((entry) => !this.#has(entry));
    const text = missing.map(
      (entry) => `${JSON.stringify({ id: entry.id, ...historyData(entry) })}\n`,
    );
    const bytes = Buffer.from(text.join(''));
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        written,
        bytes.length - written,
        this.#end + written,
      );
      written += bytesWritten;
    }
    this.#end += bytes.length;
    await this.#handle.sync();
    return missing.length;
  }

  /** Throws `taken` where the file has another entry with the id. */
  #has(entry: HistoryEntry): boolean {
    const found = this.#recent.get(entry.id);
    if (found === undefined) return false;
    if (found === identityOf(historyData(entry))) return true;
    throw new RegistryError(
      'taken',
      `${this.#name} has another entry ${entry.id}: it is the archive of another registry`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
