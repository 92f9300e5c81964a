/** Standard output takes no more: its reader is gone, or its disk is full. */
export class OutputError extends Error {
  readonly isClosed: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`standard output cannot be written: ${cause.message}`, { cause });
    this.isClosed = cause.code === 'EPIPE' || cause.code === 'ERR_STREAM_DESTROYED';
  }
}

/** Writes the answer of a command without a registry. The status is 1 if that fails. */
export async function writeAnswer(text: string): Promise<void> {
  await writeOutput(text).catch((error: OutputError) => {
    process.exitCode ??= 1;
    reportLostOutput(error);
  });
}

/** Says that the answer has no room. A reader that has seen enough, such as `| head`, needs no words. */
export function reportLostOutput({ isClosed, message }: OutputError): void {
  if (!isClosed) console.error(`failed: ${message}`);
}

/** The outputs that have taken no more; of these streams, not every kind says so later. */
const lost = new WeakSet<NodeJS.WritableStream>();

/** Whether standard output took no more when it was last written to. */
export function isOutputLost(): boolean {
  return lost.has(process.stdout);
}

/** Writes text to standard output. Throws OutputError. */
export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve();
      lost.add(process.stdout);
      reject(new OutputError(error));
    });
  });
}
