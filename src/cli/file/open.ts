import { createReadStream } from 'node:fs';
import { checkedUtf8 } from './utf8.ts';

/** The checked bytes of a file or of standard input, whole lines at a time. */
export function openText(file: string): AsyncGenerator<Buffer> {
  return checkedUtf8(file === '-' ? process.stdin : createReadStream(file), file);
}
