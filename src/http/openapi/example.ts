import answers from './example-answers.json' with { type: 'json' };

/**
 * An example of a call: a request of the demo data's own users. What the service answers to it stands in
 * example-answers.json, which a test compares with what it does answer.
 */
export interface Example {
  summary: string;
  /** The parameters of the path, the query and the headers, by their names. */
  given?: Record<string, string | number>;
  body?: unknown;
  /** 200 if nothing is said. */
  status?: number;
  /** Sends no credentials. */
  isAnonymous?: boolean;
  /** The call whose examples must have been answered before: it shows what they have changed. */
  after?: string;
}

/** The examples of all calls that have been described, by the calls' ids. */
export const examples = new Map<string, Record<string, Example>>();

type Answers = Record<string, Record<string, unknown>>;

/** The recorded answer; undefined if there is none. */
export function answerTo(operationId: string, name: string): unknown {
  return (answers as Answers)[operationId]?.[name];
}
