import { createReadStream } from 'node:fs';
import { unreadableFile } from '../report/problem.ts';
import { maximumRowCharacters } from './format.ts';

/**
 * The text of a file or of standard input, whole lines at a time, without a byte order mark. Throws `malformed` with the
 * line that is not UTF-8 or too long.
 */
export async function* openText(file: string): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let line = 1;
  let pending = '';
  const read = (bytes?: Buffer) => {
    try {
      pending += decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const [valid = ''] = `${pending}${bytes ?? ''}`.split('\uFFFD');
      throw unreadableFile(file, line + linesIn(valid), 'is not UTF-8; save the file as UTF-8');
    }
  };
  for await (const chunk of chunks) {
    read(chunk);
    const end = pending.lastIndexOf('\n') + 1;
    const lines = pending.slice(0, end);
    pending = pending.slice(end);
    if (end > 0) yield lines;
    line += linesIn(lines);
    if (pending.length > maximumRowCharacters) {
      throw unreadableFile(file, line, `has over ${maximumRowCharacters} characters`);
    }
  }
  read();
  if (pending !== '') yield pending;
}

const linesIn = (text: string) => text.split('\n').length - 1;
