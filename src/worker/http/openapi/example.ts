import type {
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import file from './examples.json' with { type: 'json' };

export interface Example {
  summary: string;
  /** Parameters of the path, the query and the headers, by name. */
  given?: Record<string, string | number>;
  body?: unknown;
  /** Default: 200. */
  status?: number;
  isAnonymous?: boolean;
  /** The call whose examples run before, because this one shows their changes. */
  after?: string;
  /** Recorded by the test that compares it with the service's response. */
  answer?: unknown;
}

export const examples: Partial<Record<string, Record<string, Example>>> = file;

/** Puts the examples of a call beside its body, and each response under its status. */
export function addExamples(
  operationId: string,
  requestBody: ZodOpenApiRequestBodyObject | undefined,
  responses: ZodOpenApiResponsesObject,
): void {
  for (const [name, example] of Object.entries(examples[operationId] ?? {})) {
    const { summary, body, status = 200, answer } = example;
    const isRefused = status >= 400;
    if (body !== undefined && !isRefused) addExample(requestBody, name, { summary, value: body });
    const description = `The answer to \`${JSON.stringify(body)}\``;
    addExample((responses as Record<number, ZodOpenApiResponseObject>)[status], name, {
      summary,
      ...(body !== undefined && isRefused && { description }),
      value: answer,
    });
  }
}

function addExample(
  shownIn: ZodOpenApiRequestBodyObject | ZodOpenApiResponseObject | undefined,
  name: string,
  example: { summary: string; description?: string; value: unknown },
): void {
  const { 'application/json': json, 'text/csv': csv } = shownIn?.content ?? {};
  const media = json ?? csv;
  if (media) media.examples = { ...media.examples, [name]: example };
}
