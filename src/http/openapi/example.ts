import type {
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import file from './examples.json' with { type: 'json' };

/** A request of the demo data's own users, and what the service answers to it. */
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
  /** As recorded by the test that compares it with what the service does answer. */
  answer: unknown;
}

/** The examples of the calls, by the calls' ids. */
export const examples: Partial<Record<string, Record<string, Example>>> = file;

/** Puts the examples of a call beside its body, and each answer under its status. */
export function showExamples(
  operationId: string,
  requestBody: ZodOpenApiRequestBodyObject | undefined,
  responses: ZodOpenApiResponsesObject,
): void {
  for (const [name, example] of Object.entries(examples[operationId] ?? {})) {
    const { summary, body, status = 200, answer } = example;
    const isRefused = status >= 400;
    // A request that is refused is not an example of a body.
    if (body !== undefined && !isRefused) show(requestBody, name, { summary, value: body });
    const description = `The answer to \`${JSON.stringify(body)}\``;
    show((responses as Record<number, ZodOpenApiResponseObject>)[status], name, {
      summary,
      ...(body !== undefined && isRefused && { description }),
      value: answer,
    });
  }
}

function show(
  shownIn: ZodOpenApiRequestBodyObject | ZodOpenApiResponseObject | undefined,
  name: string,
  example: { summary: string; description?: string; value: unknown },
): void {
  const media = shownIn?.content?.['application/json'];
  if (media) media.examples = { ...media.examples, [name]: example };
}
