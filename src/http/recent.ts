import { type AppContext, afterResponse } from './context.ts';

const freshMilliseconds = 5_000;

/**
 * The value that an isolate read last for a binding, for at most five seconds. Only for what everybody may read, because all
 * requests share it.
 */
export class Recent<Binding extends WeakKey, Value> {
  readonly #last = new WeakMap<Binding, { value: Promise<Value>; readAt: number }>();

  find(c: AppContext, binding: Binding): Promise<Value> | undefined {
    const last = this.#last.get(binding);
    const age = last ? c.var.now.getTime() - last.readAt : 0;
    // A clock that was set back is younger than what is remembered.
    return age >= 0 && age < freshMilliseconds ? last?.value : undefined;
  }

  /** Reads once for all requests that ask at the same time. A failure is not remembered. */
  read(c: AppContext, binding: Binding, read: () => Promise<Value>): Promise<Value> {
    const value = read();
    const reading = { value, readAt: c.var.now.getTime() };
    this.#last.set(binding, reading);
    const forget = () => {
      if (this.#last.get(binding) === reading) this.forget(binding);
    };
    // It goes on for those who wait for it, even if the client that asked first has gone.
    afterResponse(c, value.catch(forget));
    return value;
  }

  /** Forgets the value, also one that is being read. */
  forget(binding: Binding): void {
    this.#last.delete(binding);
  }
}
