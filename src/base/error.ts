/**
 * Why the registry refuses. Each interface has a table of its own answers, in which a missing reason does not
 * compile.
 */
export type Reason =
  | 'malformed' // the body or a value cannot be read at all
  | 'missing'
  | 'out_of_range'
  | 'invalid'
  | 'identity_invalid' // an identity code that breaks its country's format
  | 'too_large'
  | 'unauthorized'
  | 'address_denied'
  | 'throttled'
  | 'forbidden' // the caller is known, but may not do this
  | 'taken'
  | 'conflict' // something on record stands in the way
  | 'not_found'
  | 'update_prohibited'
  | 'delete_prohibited'
  | 'linked'
  | 'identity_change'
  | 'changed_meanwhile' // the version that the caller saw is no longer current
  | 'busy' // others change it so fast that a write has lost every race
  | 'key_reused' // an idempotency key that was used with another request
  | 'gone' // something that is no longer kept
  | 'not_offered' // this registry does without what the call needs
  | 'service_failed' // a service that the registry asks answers nothing, or nonsense
  | 'unknown_route'
  | 'method_not_allowed'
  | 'unexpected';

export interface Problem {
  reason: Reason;
  /** The caller reads it: no internals, no credentials. */
  message: string;
  /** Its name on the wire. */
  field?: string | undefined;
  /** Of a `conflict`: what stands in the way, in a word for programs. */
  obstacle?: string | undefined;
  /** The message without its cause, where the detail says that too. */
  brief?: string | undefined;
  /** A sentence for people, where an interface's own words say too little. */
  detail?: string | undefined;
}

export interface RecordProblem<Record> extends Problem {
  record: Record;
}

/** An expected refusal; the first of its problems decides the status of the answer. */
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

/** Returns the refusal that the function throws. */
export function orRefusal<Value>(attempt: () => Value): Value | RegistryError {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof RegistryError) return error;
    throw error;
  }
}

/** One RegistryError without the records; returns if there are no problems. */
export function throwProblems(problems: readonly (Problem & { record?: unknown })[]): void {
  const [first, ...others] = problems.map(({ record: _, ...problem }) => problem);
  if (first) throw new RegistryError([first, ...others]);
}

/** Why a login was refused, for the log and the operator's tool. The answer never says it. */
export const loginRefusals = [
  'no credentials',
  'unknown user',
  'wrong secret',
  'disabled',
  'suspended',
  'certificate',
  'address',
  'another site',
  'malformed token',
  'unknown key',
  'wrong signature',
  'wrong claims',
  'expired token',
] as const;

export type LoginRefusal = (typeof loginRefusals)[number];

/** `unauthorized`, with the known reason. */
export class LoginError extends RegistryError {
  readonly refusal: LoginRefusal;

  constructor(refusal: LoginRefusal, message: string) {
    super('unauthorized', message);
    this.refusal = refusal;
  }
}
