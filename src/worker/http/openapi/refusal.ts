import { STATUS_CODES } from 'node:http';
import type * as z from 'zod';
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import { messagesByField, statuses } from '../request/answer.ts';
import { maximumBodyBytes } from '../request/input.ts';
import { fieldErrorsType, reasonCases } from './answer.openapi.ts';
import {
  everyAnswer,
  everyNotModified,
  type HeaderName,
  type HeaderParameter,
  headersOf,
} from './headers.ts';
import type { Tag } from './introduction.ts';

/** When a reason applies to a call, where `reasonCases` says too little. */
export type Causes = Partial<Record<Reason, string>>;

type Typical = Partial<Record<Reason, Omit<Problem, 'reason'>>>;

export interface Interface {
  name: string;
  tag: Tag;
  preface?: string;
  security?: oas31.SecurityRequirementObject[];
  /** Reasons for which each of its calls may be refused, besides `always`. */
  refusals: readonly Reason[];
  errorOf?: (status: number) => z.ZodType;
  exampleOf?: (error: RegistryError) => object;
  typical?: Typical;
  show?: (reason: Reason, cause: string) => string;
  /** Headers of every response. Every call takes those that are also parameters. */
  headers?: readonly HeaderName[];
  takes?: readonly HeaderParameter[];
  /** A parameter of a path that is not here is any text. */
  path?: z.ZodRawShape;
}

/** Defaults of an interface: no login, and errors listed by field. */
export const usual = {
  preface: '',
  security: [],
  errorOf: () => fieldErrorsType,
  exampleOf: ({ problems }: RegistryError) => ({ errors: messagesByField(problems, {}) }),
  typical: {},
  show: (_reason: Reason, cause: string) => cause,
  headers: [],
  takes: [],
  path: {},
};

/** Refusals with these statuses may come after the body's unknown fields were named. */
const afterBody = [400, 404, 409, 412, 422, 500, 503];

const headersOfStatus: Partial<Record<number, HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  415: ['Accept-Encoding'],
  429: ['Retry-After', 'RateLimit'],
  503: ['Retry-After'],
};

/** Refusals with the same words in every interface. A test compares them with the responses. */
const typical: Typical = {
  method_not_allowed: { message: 'Method not allowed' },
  key_reused: { message: 'Idempotency key was used with another request' },
  changed_meanwhile: { message: 'Contact is not at the expected version' },
  busy: { message: 'Too many others are changing this now; nothing has changed, try again later' },
  service_failed: { message: 'The identity service has failed; try again later' },
  too_large: { message: `Request body is larger than ${maximumBodyBytes} bytes` },
  coded: { message: 'Request body has the Content-Encoding gzip, which is not accepted' },
  throttled: {
    message: 'Too many requests, try again later',
    detail: 'The limit "caller" has been reached: 600 requests by one caller in 60 seconds.',
  },
  misconfigured: {
    message:
      'The registry is not set up correctly, request id 0e1b2f3c-4d5e-4f60-8172-839405162738',
  },
  unexpected: { message: 'Internal error, request id 0e1b2f3c-4d5e-4f60-8172-839405162738' },
};

const always: readonly Reason[] = ['method_not_allowed', 'misconfigured', 'unexpected'];

const components = new Map<string, ZodOpenApiResponseObject>();

/** The refusals of a call by status. Refusals of every call of the interface become components. */
export function refusalsOf(
  common: Required<Interface>,
  reasons: readonly Reason[],
  { hasBody, causes }: { hasBody: boolean; causes: Causes | undefined },
): ZodOpenApiResponsesObject {
  const shared = [...common.refusals, ...always];
  const all = new Set([...shared, ...reasons]);
  const byStatus = Map.groupBy(all, (reason) => statuses[reason]);
  return Object.fromEntries(
    Array.from(byStatus, ([status, reasons]) => {
      const isOfBody = hasBody && afterBody.includes(status);
      const others: HeaderName[] = isOfBody ? ['Ignored-Fields'] : [];
      const response = refusal(common, status, reasons, { others, causes });
      const isShared = reasons.every((reason) => shared.includes(reason)) && !isOfBody;
      return [status, isShared ? component(common, status, response) : response];
    }),
  );
}

/** The response to a client with the current version. It has no body, and so fewer headers. */
export function notModified(
  common: Required<Interface>,
  others: readonly HeaderName[],
): ZodOpenApiResponsesObject {
  const headers = headersOf(
    ...everyNotModified,
    ...common.headers,
    'Ignored-Parameters',
    ...others.filter((name) => name !== 'Content-Disposition'),
  );
  const description = 'The client has the current version. No body.';
  return { 304: component(common, 304, { description, headers }) };
}

function refusal(
  common: Required<Interface>,
  status: number,
  reasons: readonly Reason[],
  { others, causes }: { others: readonly HeaderName[]; causes: Causes | undefined },
): ZodOpenApiResponseObject {
  const { errorOf, exampleOf, show, headers } = common;
  const causeOf = (reason: Reason) => causes?.[reason] ?? reasonCases[reason];
  const cases = reasons.map((reason) => show(reason, causeOf(reason)));
  const examples: Record<string, { summary: string; value: object }> = {};
  for (const reason of reasons) {
    const problem = common.typical[reason] ?? typical[reason];
    if (!problem) continue;
    const value = exampleOf(new RegistryError([{ reason, ...problem }]));
    examples[reason] = { summary: capital(causeOf(reason)), value };
  }
  const description =
    cases.length === 1 ? `${capital(cases[0]!)}.` : cases.map((text) => `- ${text}`).join('\n');
  return {
    description,
    headers: headersOf(...everyAnswer, ...headers, ...(headersOfStatus[status] ?? []), ...others),
    content: {
      'application/json': {
        schema: errorOf(status),
        ...(Object.keys(examples).length > 0 && { examples }),
      },
    },
  };
}

function component(
  { name, errorOf }: Required<Interface>,
  status: number,
  response: ZodOpenApiResponseObject,
): ZodOpenApiResponseObject {
  const { description, headers } = response;
  const key = JSON.stringify([status, errorOf(status).meta(), description, headers]);
  const id = `${name}${STATUS_CODES[status]!.replaceAll(' ', '')}`;
  const known = components.get(key) ?? { id, ...response };
  components.set(key, known);
  return known;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
