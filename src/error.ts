/**
 * Every way in which the registry refuses. Each interface answers each of them in its own form, by a table
 * that does not compile until a new reason has its line there.
 */
export type Reason =
  | 'malformed' // the body or a value can't be read at all
  | 'missing'
  | 'out_of_range'
  | 'invalid'
  | 'identity_invalid' // an identity code against its country's format
  | 'too_large'
  | 'unauthorized'
  | 'address_denied'
  | 'throttled'
  | 'taken'
  | 'not_found'
  | 'update_prohibited'
  | 'delete_prohibited'
  | 'linked'
  | 'identity_change'
  | 'changed_meanwhile' // the version that the caller saw is no longer the current one
  | 'key_reused' // an idempotency key that came with another request
  | 'unknown_route'
  | 'method_not_allowed'
  | 'unexpected';

export interface Problem {
  reason: Reason;
  /** For the caller to read: no internals, no credentials. */
  message: string;
  /** What it is about, by its name on the wire. */
  field?: string | undefined;
}

/** An expected refusal: at least one problem, the first of which decides the answer's status. */
export class RegistryError extends Error {
  readonly problems: readonly [Problem, ...Problem[]];

  constructor(reason: Reason, message: string, field?: string);
  constructor(problems: readonly [Problem, ...Problem[]]);
  constructor(first: Reason | readonly [Problem, ...Problem[]], message = '', field?: string) {
    const problems =
      typeof first === 'string' ? ([{ reason: first, message, field }] as const) : first;
    super(problems[0].message);
    this.name = 'RegistryError';
    this.problems = problems;
  }

  get reason(): Reason {
    return this.problems[0].reason;
  }
}
