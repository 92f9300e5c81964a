import { AsyncLocalStorage } from 'node:async_hooks';
import type { Env } from '../env.ts';
import { RegistryError } from '../error.ts';
import type { CommonOptions } from './command.ts';

/** Bindings and settings, until they are disposed of. */
export interface Bindings {
  env: Env;
  /** The address of the local server that they belong to; undefined if none runs. */
  service?: string | undefined;
  /** Begins the turn of another command; false if it needs other bindings. Those without it are always good. */
  resume?(): Promise<boolean>;
  /** Ends the turn of a command. */
  release?(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * One run of the tool, of one command or of many. It keeps the bindings that were opened last, since opening them takes
 * longer than most commands.
 */
export class Session implements AsyncDisposable {
  /** Asks on the terminal, where the session reads it by itself; undefined if nobody answers. */
  ask: ((question: string) => Promise<string | undefined>) | undefined;
  #opened: { place: string; isWritable: boolean; bindings: Promise<Bindings> } | undefined;

  /**
   * The bindings that the options choose, which the session disposes of. Those for writing also serve a command that
   * reads.
   */
  async bindings(
    { persistTo, remote, env }: CommonOptions,
    { isWritable }: { isWritable: boolean },
    open: () => Promise<Bindings>,
  ): Promise<Bindings> {
    const place = JSON.stringify({ persistTo, remote, env });
    const opened = this.#opened;
    if (opened?.place === place && (opened.isWritable || !isWritable)) {
      const bindings = await opened.bindings;
      if ((await bindings.resume?.()) ?? true) return bindings;
    }
    await this.close();
    const bindings = open();
    this.#opened = { place, isWritable, bindings };
    // A command that could not open the registry leaves nothing behind.
    bindings.catch(() => {
      this.#opened = undefined;
    });
    return bindings;
  }

  /** Lets others at what the bindings are of, until the next command asks for them. */
  async release(): Promise<void> {
    await (await this.#opened?.bindings.catch(() => undefined))?.release?.();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened?.bindings.catch(() => undefined))?.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The session of the command that is running. */
export const runningSession = new AsyncLocalStorage<Session>();

/** Standard input, for a command that reads data from it. Throws `invalid` in a shell, where it holds the commands. */
export function dataInput(): typeof process.stdin {
  if (!runningSession.getStore()?.ask) return process.stdin;
  const message =
    'the shell reads its commands from standard input, so this one cannot read data from it; name a file, or run it outside the shell';
  throw new RegistryError('invalid', message);
}
