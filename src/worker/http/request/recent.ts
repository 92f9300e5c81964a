import { type AppContext, afterResponse } from './context.ts';

const freshMilliseconds = 5_000;

/**
 * The value that this isolate last read for a binding, for at most five seconds. All requests share it, so it must be
 * public.
 */
export class Recent<Binding extends WeakKey, Value> {
  readonly #last = new WeakMap<Binding, { value: Promise<Value>; readAt: number }>();

  find(c: AppContext, binding: Binding): Promise<Value> | undefined {
    const last = this.#last.get(binding);
    const age = last ? c.var.now.getTime() - last.readAt : 0;
    // A negative age means that the clock was set back.
    return age >= 0 && age < freshMilliseconds ? last?.value : undefined;
  }

  /** The value, read again if it is older. Requests that come meanwhile share the reading. A failure is not remembered. */
  get(c: AppContext, binding: Binding, read: () => Promise<Value>): Promise<Value> {
    const known = this.find(c, binding);
    if (known) return known;
    const value = read();
    const reading = { value, readAt: c.var.now.getTime() };
    this.#last.set(binding, reading);
    const forget = () => {
      if (this.#last.get(binding) === reading) this.forget(binding);
    };
    // The reading goes on for the others, even if the first client has gone.
    afterResponse(c, value.catch(forget));
    return value;
  }

  /** Forgets the value, even while it is being read. */
  forget(binding: Binding): void {
    this.#last.delete(binding);
  }
}
