import type * as z from 'zod';
import type {
  oas31,
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reason } from '../../error.ts';
import { reasonCases } from '../answer.openapi.ts';
import { statuses } from '../answer.ts';
import { answerTo, type Example, examples } from './example.ts';
import { type HeaderName, headersOf } from './headers.ts';
import { type HeaderParameter, parametersOf } from './parameters.ts';

/** What the calls of an interface have in common. */
export interface Interface {
  /** The beginning of the names of its components. */
  name: string;
  tag: string;
  security: oas31.SecurityRequirementObject[];
  /** What every call may be refused for. */
  refusals: readonly Reason[];
  /** The body of a refusal. */
  errorOf: (status: number) => z.ZodType;
  /** How a reason is shown; its case if nothing is said. */
  show?: (reason: Reason) => string;
  /** Sent and taken by every call. */
  headers: readonly HeaderName[];
  parameters: readonly HeaderParameter[];
}

/** What a call answers when it succeeds. */
export interface Success {
  description: string;
  headers?: readonly HeaderName[];
  schema: z.ZodType;
}

export interface Call {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly HeaderParameter[];
  path?: z.ZodObject;
  query?: z.ZodObject;
  body?: ZodOpenApiRequestBodyObject;
  /** Its 200. */
  success?: Success;
  /** Answers with other statuses that are no refusals. */
  others?: ZodOpenApiResponsesObject;
  /** Besides those of every call. */
  refusals?: readonly Reason[];
  examples?: Record<string, Example>;
}

export const jsonBody = (schema: z.ZodType) => ({
  required: true,
  content: { 'application/json': { schema } },
});

const everyAnswer = ['X-Request-Id', 'Cache-Control'] as const;

/** Refusals that are components, by what they say. */
const components = new Map<string, ZodOpenApiResponseObject>();

/** Describes calls of the interface. */
export function callsOf(face: Interface) {
  /** A status that every call refuses with for the same reasons is one component. */
  function refusalOf(
    status: number,
    reasons: readonly Reason[],
    hasBody: boolean,
  ): ZodOpenApiResponseObject {
    const ignored = hasBody && afterBody.includes(status) ? (['Ignored-Fields'] as const) : [];
    const response = refusal(face, status, reasons, ignored);
    const isShared = reasons.every((reason) => face.refusals.includes(reason));
    if (!isShared || ignored.length > 0) return response;
    const { description, headers } = response;
    const said = JSON.stringify([status, face.errorOf(status).meta(), description, headers]);
    const component = components.get(said) ?? {
      id: `${face.name}${statusNames[status]}`,
      ...response,
    };
    components.set(said, component);
    return component;
  }

  return ({ success, refusals = [], others = {}, ...call }: Call): ZodOpenApiOperationObject => {
    const byStatus = Map.groupBy(
      new Set([...face.refusals, ...refusals]),
      (reason) => statuses[reason],
    );
    const errors = Array.from(byStatus, ([status, reasons]) => [
      status,
      refusalOf(status, reasons, call.body !== undefined),
    ]);
    const responses: ZodOpenApiResponsesObject = {
      ...(success && { 200: answer(face, success) }),
      ...others,
      ...Object.fromEntries(errors),
    };
    if (call.examples) showExamples(call.operationId, call.examples, responses);
    const parameters = parametersOf(...(call.parameters ?? []), ...face.parameters);
    return {
      operationId: call.operationId,
      summary: call.summary,
      ...(call.description !== undefined && { description: call.description }),
      tags: [face.tag],
      security: face.security,
      requestParams: {
        ...(call.path && { path: call.path }),
        ...(call.query && { query: call.query }),
      },
      ...(parameters.length > 0 && { parameters }),
      ...(call.body && { requestBody: withExamples(call.body, call.examples) }),
      responses,
    };
  };
}

function answer(face: Interface, { description, headers = [], schema }: Success) {
  return {
    description,
    headers: headersOf(...everyAnswer, ...face.headers, 'Ignored-Parameters', ...headers),
    content: { 'application/json': { schema } },
  };
}

/** Puts each example's answer under its status. */
function showExamples(
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

/** Says what was sent if it was refused: it is no example of a request. */
function requestOf(example: Example): { description?: string } {
  const { body } = example;
  if (!isRefused(example) || body === undefined) return {};
  return { description: `The answer to \`${JSON.stringify(body)}\`` };
}

/** Gives the body the examples' requests. */
function withExamples(
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

const statusNames: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

/** What may be found out once the body has been read, and its unknown fields are named. */
const afterBody = [400, 404, 412, 422, 500];

const headersOfStatus: Partial<Record<number, HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
};

function refusal(
  { errorOf, show = (reason) => reasonCases[reason], headers }: Interface,
  status: number,
  reasons: readonly Reason[],
  more: readonly HeaderName[],
): ZodOpenApiResponseObject {
  const cases = reasons.map(show);
  const description =
    cases.length === 1 ? `${capital(cases[0]!)}.` : cases.map((text) => `- ${text}`).join('\n');
  return {
    description,
    headers: headersOf(...everyAnswer, ...headers, ...(headersOfStatus[status] ?? []), ...more),
    content: { 'application/json': { schema: errorOf(status) } },
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
