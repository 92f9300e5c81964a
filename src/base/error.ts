import type { Sentence } from './text/sentence.ts';

/** The reason of a refusal. Each interface has a table of its answers, which must have every reason to compile. */
export type Reason =
  | 'malformed' // the body or a value is unreadable
  | 'missing'
  | 'out_of_range'
  | 'invalid'
  | 'identity_invalid' // an identity code against its country's format
  | 'too_large'
  | 'coded' // a body with a content coding
  | 'unauthorized'
  | 'address_denied'
  | 'throttled'
  | 'forbidden' // the caller may not do this
  | 'taken'
  | 'conflict' // something on record prevents it
  | 'not_found'
  | 'update_prohibited'
  | 'delete_prohibited'
  | 'linked'
  | 'identity_change'
  | 'status_change' // only the operator sets the statuses of a contact
  | 'changed_meanwhile' // the caller's version is no longer current
  | 'busy' // a write has lost every race
  | 'key_reused' // an idempotency key used with another request
  | 'gone' // no longer kept
  | 'not_offered' // this registry lacks what the call needs
  | 'service_failed' // another service failed, or answered nonsense
  | 'misconfigured' // a setting is missing or malformed
  | 'unknown_route'
  | 'method_not_allowed'
  | 'unexpected';

export interface Problem {
  reason: Reason;
  /** Callers read it, so it has no internals and no credentials. */
  message: string;
  /** The message with its terms, for the operator's pages. */
  sentence?: Sentence | undefined;
  field?: string | undefined;
  /** What stands in the way, for programs, where `reason` says too little. */
  obstacle?: string | undefined;
  /** The message without its cause, if the detail has that. */
  brief?: string | undefined;
  /** The words of the operator's command that helps. */
  command?: readonly string[];
  /** A sentence for people, where an interface's own words are not enough. */
  detail?: string | undefined;
}

export interface RecordProblem<Record> extends Problem {
  record: Record;
}

/** An expected refusal. Its first problem decides the status of the answer. */
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

export function orRefusal<Value>(attempt: () => Value): Value | RegistryError {
  try {
    return attempt();
  } catch (error) {
    return refusalIn(error);
  }
}

/** For `catch`: throws every other failure. */
export function refusalIn(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error;
  throw error;
}

/** Throws one RegistryError without the records, if there are any problems. */
export function throwProblems(problems: readonly (Problem & { record?: unknown })[]): void {
  const [first, ...others] = problems.map(({ record: _, ...problem }) => problem);
  if (first) throw new RegistryError([first, ...others]);
}

/** The cause of a refused login, for the log and the operator's tool. No answer has it. */
export const loginRefusals = [
  'no credentials',
  'no registrar', // the right key of a system, without Acting-For
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

export class LoginError extends RegistryError {
  readonly refusal: LoginRefusal;

  constructor(refusal: LoginRefusal, message: string, detail?: string) {
    super([{ reason: 'unauthorized', message, detail }]);
    this.refusal = refusal;
  }
}
