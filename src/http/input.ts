import { zValidator } from '@hono/zod-validator';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { type Problem, RegistryError } from '../error.ts';
import { onFirstUse } from '../on-first-use.ts';
import { isBlank } from '../text/field.ts';
import { objectDetail, unknownFields } from './body-shape.ts';
import type { AppContext } from './context.ts';
import { nameIgnoredFields } from './ignored.ts';
import { malformed, parseJsonObject } from './json.ts';

export const maximumBodyBytes = 64 * 1024;

/** Middleware for interfaces that take bodies; put it after the login. Throws `too_large`. */
export const limitBody = bodyLimit({
  maxSize: maximumBodyBytes,
  onError() {
    throw new RegistryError('too_large', `Request body is larger than ${maximumBodyBytes} bytes`);
  },
});

/** Reads the query by a zod type, all of whose parameters are optional, refusing as every input is refused. */
export function query<Shape extends z.ZodObject>(shape: () => Shape) {
  const validate = onFirstUse(() =>
    zValidator('query', shape(), (result) => {
      if (result.success) return;
      // Nothing here is required, so an empty value is an invalid one.
      const [first, ...others] = problemsOf(result.error);
      const invalid = (problem: Problem): Problem =>
        problem.reason === 'missing' ? { ...problem, reason: 'invalid' } : problem;
      throw new RegistryError([invalid(first), ...others.map(invalid)]);
    }),
  );
  const middleware: ReturnType<typeof validate> = (c, next) => {
    (c as AppContext).set('knownParameters', Object.keys(shape().shape));
    return validate()(c, next);
  };
  return middleware;
}

/**
 * The request's body as a JSON object. Throws `malformed` if its content type is not JSON, or if it is not UTF-8, not
 * JSON, or not an object.
 */
export async function jsonBody(c: AppContext): Promise<Record<string, unknown>> {
  const label = c.req.header('Content-Type');
  if (label !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(label)) {
    throw malformed('The Content-Type of the body is not JSON.');
  }
  return parseJsonObject(await c.req.arrayBuffer());
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
  throw new RegistryError(problemsOf(result.error, (path) => objectDetail(shape, body, path)));
}

function problemsOf(
  error: z.core.$ZodError,
  detailOf: (path: readonly PropertyKey[]) => string | undefined = () => undefined,
): [Problem, ...Problem[]] {
  return error.issues.map((issue): Problem => {
    const { message, path } = issue;
    // A problem of an element is reported as a problem of its list.
    const field = path.filter((part) => typeof part === 'string').join('.');
    const detail = detailOf(path);
    if (issue.code === 'custom' && issue.params?.reason) {
      return { reason: issue.params.reason, message, field, detail };
    }
    return { reason: isBlank(issue.input) ? 'missing' : 'invalid', message, field, detail };
  }) as [Problem, ...Problem[]];
}
