import { limitTime } from '../../base/database/retry.ts';
import { RegistryError } from '../../base/error.ts';
import { isInterrupted } from './interrupt.ts';

/** How far a command has come that writes in batches. An interruption waits for the end of a batch. */
export class Batches {
  /** Changes in batches that were written. */
  written = 0;
  /** Changes in a batch of which only the database knows whether it was written. */
  uncertain = 0;
  /** The noun for a change. */
  readonly one: string;
  /** How many changes there are, if a refusal is to say how many are left. */
  total?: number;
  /** The option with which the command finishes what a change meanwhile has stopped. */
  restOption?: string;
  /** The command publishes lists at its end. */
  readonly hasLists: boolean;
  private running: Promise<unknown> = Promise.resolve();

  constructor(one: string, hasLists: boolean) {
    this.one = one;
    this.hasLists = hasLists;
  }

  /** Without `changesIn`, every element of the batch is a change. */
  async write<Result>(
    count: number,
    batch: () => Promise<Result>,
    changesIn: (result: Result) => number = () => count,
  ): Promise<Result> {
    // The process ends meanwhile.
    if (isInterrupted()) await new Promise(() => {});
    this.uncertain = count;
    const running = batch();
    this.running = running;
    try {
      const result = await running;
      this.written += changesIn(result);
      this.uncertain = 0;
      return result;
    } catch (error) {
      if (error instanceof RegistryError) this.uncertain = 0;
      if (isInterrupted()) await new Promise(() => {});
      throw error;
    }
  }

  /** Waits for the batch that is being written, but not for a database that does not answer. */
  async settle(): Promise<void> {
    await limitTime(10_000, this.running).catch(() => {});
  }
}
