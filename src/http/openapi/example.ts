import type {
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
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

/** Puts each example's answer under its status. */
export function showExamples(
  operationId: string,
  given: Record<string, Example>,
  responses: ZodOpenApiResponsesObject,
): void {
  examples.set(operationId, given);
  for (const [name, example] of Object.entries(given)) {
    const value = answerTo(operationId, name);
    const response = (responses as Record<number, ZodOpenApiResponseObject>)[example.status ?? 200];
    const media = response?.content?.['application/json'];
    if (!media || value === undefined) continue;
    const shown = { summary: example.summary, ...requestOf(example), value };
    media.examples = { ...media.examples, [name]: shown };
  }
}

const isRefused = ({ status = 200 }: Example) => status >= 400;

/** Says what was sent if it was refused: it is not an example of a request. */
function requestOf(example: Example): { description?: string } {
  const { body } = example;
  if (!isRefused(example) || body === undefined) return {};
  return { description: `The answer to \`${JSON.stringify(body)}\`` };
}

/** Gives the body the examples' requests. */
export function bodyWithExamples(
  body: ZodOpenApiRequestBodyObject,
  given: Record<string, Example> = {},
): ZodOpenApiRequestBodyObject {
  const sent = Object.entries(given).filter(
    ([, example]) => example.body !== undefined && !isRefused(example),
  );
  if (sent.length === 0) return body;
  const shown = sent.map(([name, { summary, body: value }]) => [name, { summary, value }]);
  const json = { ...body.content['application/json'], examples: Object.fromEntries(shown) };
  return { ...body, content: { ...body.content, 'application/json': json } };
}
