import { AsyncLocalStorage } from 'node:async_hooks';
import type { Env } from '../env.ts';
import type { CommonOptions } from './command.ts';

/** Bindings and settings, until they are disposed of. */
export interface Bindings {
  env: Env;
  dispose(): Promise<void>;
}

/**
 * One run of the tool, of one command or of many. It keeps the bindings that were opened last, since opening them takes
 * longer than most commands.
 */
export class Session implements AsyncDisposable {
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
    if (opened?.place === place && (opened.isWritable || !isWritable)) return opened.bindings;
    await this.close();
    const bindings = open();
    this.#opened = { place, isWritable, bindings };
    // A command that could not open the registry leaves nothing behind.
    bindings.catch(() => {
      this.#opened = undefined;
    });
    return bindings;
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

const running = new AsyncLocalStorage<Session>();

/** Runs a command within the session. */
export function inSession<Result>(session: Session, work: () => Result): Result {
  return running.run(session, work);
}

/** The session of the command that is running. */
export function currentSession(): Session {
  const session = running.getStore();
  if (!session) throw new Error('no command is running');
  return session;
}
