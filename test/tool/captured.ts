import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';

/** The faults of standard output: its reader is gone, or its disk is full. */
export type Fault = 'EPIPE' | 'ENOSPC';

/** The exit status of a command, and the text that it printed. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a main program in this process with streams and an exit status of its own; one at a time. With a fault, its
 * standard output takes nothing.
 */
export async function captured(
  main: () => Promise<void>,
  input: string | Buffer | Readable = '',
  fault?: Fault,
): Promise<Ended> {
  const [stdout, stderr] = [new Captured(fault), new Captured()];
  const restore = [
    replace(
      process,
      'stdin',
      input instanceof Readable ? input : Readable.from([Buffer.from(input)]),
    ),
    replace(process, 'stdout', stdout),
    replace(process, 'stderr', stderr),
    // Whatever else a runtime of an earlier file still logs in this process is not the program's.
    replace(globalThis as unknown as { console: Console }, 'console', {
      ...console,
      error: new Console(stderr).error,
    }),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await main();
    return { status: Number(process.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.exitCode = before;
    for (const undo of restore) undo();
  }
}

class Captured extends Writable {
  /** Like standard output's, its errors are reported to whoever writes. */
  constructor(fault?: string) {
    super();
    this.fault = fault;
    this.on('error', () => {});
  }

  private readonly fault: string | undefined;
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void) {
    if (this.fault) return done(Object.assign(new Error(this.fault), { code: this.fault }));
    this.chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

function replace<Owner extends object>(owner: Owner, name: keyof Owner, value: unknown) {
  const original = Object.getOwnPropertyDescriptor(owner, name)!;
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => Object.defineProperty(owner, name, original);
}
