import { zValidator } from '@hono/zod-validator';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod/mini';
import { type Problem, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { isBlank } from '../../../base/text/field.ts';
import { isObject, objectDetail } from './body-shape.ts';
import type { AppContext } from './context.ts';
import { nameIgnoredFields } from './ignored.ts';

export const maximumBodyBytes = 64 * 1024;
export const maximumBatchBytes = 256 * 1024;

const limitBodyTo = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError() {
      throw new RegistryError('too_large', `Request body is larger than ${maxSize} bytes`);
    },
  });

/** Middleware for interfaces that take bodies; put it after the login. Throws `too_large`. */
export const limitBody = limitBodyTo(maximumBodyBytes);

/** The same for a batch. */
export const limitBatch = limitBodyTo(maximumBatchBytes);

/**
 * Middleware that parses the query. The zod type must require no parameter: an empty value is invalid, not missing. A
 * refusal says what is expected of its parameter.
 */
export function query<Shape extends z.ZodMiniObject>(
  shape: () => Shape,
  expected: Record<keyof z.output<Shape>, string>,
) {
  const detailOf = ([name]: readonly PropertyKey[]) =>
    `Expected: ${expected[name as keyof typeof expected]}.`;
  const validate = onFirstUse(() =>
    zValidator(
      'query',
      shape(),
      (result) => {
        if (!result.success) throw new RegistryError(problemsOf(result.error, 'invalid', detailOf));
      },
      // Asynchronous parsing would change the order of the problems.
      { validationFunction: (type, given) => type.safeParse(given) as never },
    ),
  );
  const middleware: ReturnType<typeof validate> = (c, next) => {
    (c as AppContext).set('knownParameters', Object.keys(shape().shape));
    return validate()(c, next);
  };
  return middleware;
}

/** Parses the JSON body with a zod type, and names its unknown fields in `Ignored-Fields`. No body may count as `{}`. */
export async function parseBody<Shape extends z.ZodMiniObject>(
  c: AppContext,
  shape: Shape,
  { isOptional = false } = {},
): Promise<z.output<Shape>> {
  const isMissing = isOptional && (await c.req.arrayBuffer()).byteLength === 0;
  const given = isMissing ? {} : await jsonBody(c);
  nameIgnoredFields(c, shape, given);
  return parsed(shape, given);
}

/** Throws everything that is wrong with the body. */
export function parsed<Shape extends z.ZodMiniObject>(
  shape: Shape,
  given: unknown,
): z.output<Shape> {
  const result = shape.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  const detailOf = (path: readonly PropertyKey[]) => objectDetail(shape, given, path);
  throw new RegistryError(problemsOf(result.error, 'missing', detailOf));
}

/** The request's body as a JSON object. Throws `malformed` for anything else. */
export async function jsonBody(c: AppContext): Promise<Record<string, unknown>> {
  const label = c.req.header('Content-Type');
  if (label !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(label)) {
    const detail = 'The Content-Type of the body is not JSON.';
    throw malformed(detail, 'Content-Type of the request body is not JSON');
  }
  const bytes = await c.req.arrayBuffer();
  if (bytes.byteLength === 0) throw malformed('The body is empty; a JSON object is expected.');
  const value = parseJson(bytes);
  if (isObject(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw malformed(`The body is ${kind}; a JSON object is expected.`);
}

/** Issues must include their input, or `blank` is never given. */
function problemsOf(
  error: z.core.$ZodError,
  blank: 'missing' | 'invalid',
  detailOf: (path: readonly PropertyKey[]) => string | undefined,
): [Problem, ...Problem[]] {
  return error.issues.map((issue): Problem => {
    const { message, path, input } = issue;
    // A problem of an element is reported as a problem of its list.
    const field = path.filter((part) => typeof part === 'string').join('.');
    const detail = detailOf(path);
    const ownReason = issue.code === 'custom' && issue.params?.reason;
    const reason = ownReason || (isBlank(input) ? blank : 'invalid');
    return { reason, message, field, detail };
  }) as [Problem, ...Problem[]];
}

/** Throws a TypeError for bytes that are not UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The detail must quote nothing of the body. */
function malformed(detail: string, message = 'Request body is not a JSON object'): RegistryError {
  return new RegistryError([{ reason: 'malformed', message, detail }]);
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw malformed('The body is not UTF-8.');
    // Some of the engine's messages end with a quotation of the text.
    const reason = (error as Error).message.replace(/, ".*/s, '').replace(/, \.\.\.".*/s, '');
    throw malformed(`The body is not JSON: ${reason}.`);
  }
}
