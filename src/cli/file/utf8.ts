import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { unreadableFile } from '../report/problem.ts';

const newline = 0x0a;
/** A longer line is not text; the limit bounds what is held in memory. */
const maximumLineBytes = 1024 * 1024;

/**
 * The bytes of a file or of standard input, whole lines at a time, without a byte order mark. Throws `malformed` with
 * the line that is not UTF-8: no character of several bytes contains a line's end, so each line can be judged alone.
 */
export async function* openText(file: string): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
  let line = 1;
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = bytes.lastIndexOf(newline) + 1;
    const lines = bytes.subarray(0, end);
    pending = bytes.subarray(end);
    if (pending.length > maximumLineBytes) {
      throw unreadableFile(
        file,
        line + countLines(lines),
        `a line has over ${maximumLineBytes} bytes`,
      );
    }
    check(lines, file, line);
    if (end > 0) yield line === 1 ? withoutMark(lines) : lines;
    line += countLines(lines);
  }
  check(pending, file, line);
  if (pending.length > 0) yield line === 1 ? withoutMark(pending) : pending;
}

function check(lines: Buffer, file: string, firstLine: number): void {
  if (isUtf8(lines)) return;
  const isUtf16 = firstLine === 1 && /^(fffe|feff)/.test(lines.toString('hex', 0, 2));
  let line = firstLine;
  for (let start = 0, end = 0; start < lines.length && !isUtf16; start = end, line++) {
    end = lines.indexOf(newline, start) + 1 || lines.length;
    if (!isUtf8(lines.subarray(start, end))) break;
  }
  throw unreadableFile(
    file,
    line,
    `is ${isUtf16 ? 'UTF-16' : 'not UTF-8'}; save the file as UTF-8`,
  );
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(newline); at !== -1; at = lines.indexOf(newline, at + 1)) count++;
  return count;
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.toString('hex', 0, 3) === 'efbbbf' ? bytes.subarray(3) : bytes;
}
