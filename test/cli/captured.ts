import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';

/** The exit status of a command, and the text that it printed. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a main program in this process with streams and an exit status of its own; one at a time. */
export async function captured(
  main: () => Promise<void>,
  input: string | Buffer = '',
): Promise<Ended> {
  const [stdout, stderr] = [new Captured(), new Captured()];
  const restore = [
    replace(process, 'stdin', Readable.from(input.length > 0 ? [Buffer.from(input)] : [])),
    replace(process, 'stdout', stdout),
    replace(process, 'stderr', stderr),
    replace(globalThis, 'console', new Console({ stdout, stderr })),
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
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
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
