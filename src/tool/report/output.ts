import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { type Lines, printable } from '../../view/text.ts';

/** Standard output cannot be written: its reader has closed it, or its disk is full. */
export class OutputError extends Error {
  readonly isClosed: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`standard output cannot be written: ${cause.message}`, { cause });
    this.isClosed = cause.code === 'EPIPE' || cause.code === 'ERR_STREAM_DESTROYED';
  }
}

export function say(text: Lines): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** A failure sets exit status 1. */
export async function printAnswer(text: string): Promise<void> {
  await writeOutput(text).catch((error: OutputError) => {
    process.exitCode ??= 1;
    reportLostOutput(error);
  });
}

/** Reports a failed write, unless the reader has closed the pipe, as `head` does. */
export function reportLostOutput({ isClosed, message }: OutputError): void {
  if (!isClosed) say(`failed: ${message}`);
}

/** Throws OutputError if the null device takes the output: Node opens it in the place of a closed one. */
export function checkOutputIsRead(): void {
  const { fd } = process.stdout as { fd?: number };
  if (fd === undefined || fstatSync(fd).rdev !== statSync(devNull).rdev) return;
  throw new OutputError(new Error('it is closed, or nobody reads it'));
}

export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(new OutputError(error));
      else resolve();
    });
  });
}
