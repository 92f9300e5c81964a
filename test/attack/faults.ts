import type { Env } from '../../src/base/env.ts';

/** A fault at one call of a binding: the call fails, or it is done and reported as failed. */
export interface Fault {
  message: string;
  isDone: boolean;
}

/** D1's passing faults, by the messages of its documentation (d1/best-practices/retry-queries). */
export const passingMessages = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: D1 DB reset because its code was updated.',
];
export const overload = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.';

type Binding = 'd1' | 'kv' | 'r2' | 'limiter' | 'queue';

/**
 * Counts the calls of the bindings, and lets those fail that `isFaulty` names by their place. What `after` does to the
 * world comes between a call and the next step of the caller.
 */
export class Faults {
  readonly calls: Binding[] = [];
  readonly #fault: Fault | undefined;
  readonly #isFaulty: (call: number, binding: Binding) => boolean;
  readonly #after: ((call: number) => Promise<void>) | undefined;

  constructor(
    fault?: Fault,
    isFaulty: (call: number, binding: Binding) => boolean = () => false,
    after?: (call: number) => Promise<void>,
  ) {
    this.#fault = fault;
    this.#isFaulty = isFaulty;
    this.#after = after;
  }

  async #call<Result>(binding: Binding, run: () => Promise<Result>): Promise<Result> {
    const call = this.calls.push(binding) - 1;
    if (!this.#fault || !this.#isFaulty(call, binding)) {
      const result = await run();
      await this.#after?.(call);
      return result;
    }
    if (this.#fault.isDone) await run();
    throw new Error(this.#fault.message);
  }

  /** The bindings, failing as told. */
  wrap(env: Env): Env {
    return {
      ...env,
      DB: this.#database(env.DB),
      LISTS: this.#intercepted(env.LISTS, 'kv', [
        'get',
        'getWithMetadata',
        'put',
        'list',
        'delete',
      ]),
      ...(env.ARCHIVE && {
        ARCHIVE: this.#intercepted(env.ARCHIVE, 'r2', ['get', 'head', 'put', 'list', 'delete']),
      }),
      ...Object.fromEntries(
        Object.entries(env)
          .filter(([name]) => name.endsWith('_LIMITER'))
          .map(([name, limiter]) => [name, this.#intercepted(limiter, 'limiter', ['limit'])]),
      ),
      ...(env.WEBHOOKS && { WEBHOOKS: this.#intercepted(env.WEBHOOKS, 'queue', ['sendBatch']) }),
    };
  }

  #intercepted<Target extends object>(target: Target, binding: Binding, methods: string[]): Target {
    const intercepted = methods.map((name) => {
      const call = (...args: unknown[]) => {
        const method = (target as Record<string, (...args: unknown[]) => Promise<unknown>>)[name];
        return this.#call(binding, async () => method?.apply(target, args));
      };
      return [name, call];
    });
    return Object.fromEntries(intercepted) as Target;
  }

  #database(db: D1Database): D1Database {
    return {
      ...this.#connection(db),
      withSession: (constraint?: string) => {
        const session = db.withSession(constraint);
        return { ...this.#connection(session), getBookmark: () => session.getBookmark() };
      },
    } as D1Database;
  }

  #connection(connection: Pick<D1Database, 'prepare' | 'batch'>) {
    return {
      prepare: (query: string) => this.#statement(connection.prepare(query)),
      batch: (statements: D1PreparedStatement[]) =>
        this.#call('d1', () => connection.batch(statements.map(originalOf))),
    };
  }

  #statement(original: D1PreparedStatement): D1PreparedStatement {
    const statement = this.#intercepted(original, 'd1', ['all', 'raw', 'run', 'first']);
    statement.bind = (...values) => this.#statement(original.bind(...values));
    originals.set(statement, original);
    return statement;
  }
}

const originals = new WeakMap<object, D1PreparedStatement>();

function originalOf(statement: D1PreparedStatement): D1PreparedStatement {
  return originals.get(statement) ?? statement;
}
