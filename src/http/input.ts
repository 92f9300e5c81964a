import { bodyLimit } from 'hono/body-limit';
import { validator } from 'hono/validator';
import * as z from 'zod';
import { type Problem, RegistryError } from '../error.ts';
import { isBlank } from '../text-field.ts';
import type { AppContext } from './context.ts';
import { nameIgnoredFields } from './ignored.ts';

const maximumBodyBytes = 64 * 1024;

/** Middleware for interfaces that take bodies; put it after the login. Throws `too_large`. */
export const limitBody = bodyLimit({
  maxSize: maximumBodyBytes,
  onError() {
    throw new RegistryError('too_large', `Request body is larger than ${maximumBodyBytes} bytes`);
  },
});

/** Reads the query by a zod type, all of whose parameters are optional, refusing as every input is refused. */
export function query<Shape extends z.ZodObject>(shape: () => Shape) {
  return validator('query', (given, c: AppContext): z.output<Shape> => {
    c.set('knownParameters', Object.keys(shape().shape));
    const result = shape().safeParse(given);
    if (result.success) return result.data;
    // Nothing here is required, so an empty value is an invalid one.
    const [first, ...others] = problemsOf(result.error);
    const invalid = (problem: Problem): Problem =>
      problem.reason === 'missing' ? { ...problem, reason: 'invalid' } : problem;
    throw new RegistryError([invalid(first), ...others.map(invalid)]);
  });
}

/**
 * The request's body as a JSON object. Throws `malformed` if its content type is not JSON, or if it is not UTF-8, not
 * JSON, or not an object.
 */
export async function jsonBody(c: AppContext): Promise<Record<string, unknown>> {
  const label = c.req.header('Content-Type');
  if (label === undefined || /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(label)) {
    const value = parseJson(await c.req.arrayBuffer());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  }
  throw new RegistryError('malformed', 'Request body is not a JSON object');
}

/** Throws a TypeError for bytes that are not UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Parses a body with a zod type, and names the fields that the type does not know in `Ignored-Fields`. */
export async function parseBody<Shape extends z.ZodObject>(
  c: AppContext,
  shape: Shape,
  body: Record<string, unknown>,
): Promise<z.output<Shape>> {
  nameIgnoredFields(c, unknownFields(shape, body));
  // An issue's input shows whether the value is missing or invalid.
  const result = await shape.safeParseAsync(body, { reportInput: true });
  if (result.success) return result.data;
  throw new RegistryError(problemsOf(result.error));
}

function problemsOf(error: z.core.$ZodError): [Problem, ...Problem[]] {
  return error.issues.map((issue): Problem => {
    const { message, path } = issue;
    // A problem of an element is reported as a problem of its list.
    const field = path.filter((part) => typeof part === 'string').join('.');
    if (issue.code === 'custom' && issue.params?.reason) {
      return { reason: issue.params.reason, message, field };
    }
    return { reason: isBlank(issue.input) ? 'missing' : 'invalid', message, field };
  }) as [Problem, ...Problem[]];
}

/** Paths of the fields in a body that its zod type has no place for. */
function unknownFields(shape: z.ZodObject, body: object, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = prefix + name;
    if (!Object.hasOwn(shape.shape, name)) return [path];
    let inner = shape.shape[name];
    while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return inner instanceof z.ZodObject && isObject ? unknownFields(inner, value, `${path}.`) : [];
  });
}
