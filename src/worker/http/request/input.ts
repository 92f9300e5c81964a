import { zValidator } from '@hono/zod-validator';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod/mini';
import { orRefusal, type Problem, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { expectedSentence, isBlank, unseenIn } from '../../../base/text/field.ts';
import { type DomainName, domainNameOf } from '../../../name/name.ts';
import type { AppContext, AppEnv } from './context.ts';

const givenTwice = 'It is given twice.';

export const maximumBodyBytes = 64 * 1024;
export const maximumBatchBytes = 256 * 1024;

function limitBodyTo(maxSize: number): MiddlewareHandler<AppEnv> {
  const limit = bodyLimit({
    maxSize,
    onError() {
      throw new RegistryError('too_large', `Request body is larger than ${maxSize} bytes`);
    },
  });
  return (c, next) => {
    if (c.req.raw.body) refuseCoding(c.req.header('Content-Encoding'));
    return limit(c, next);
  };
}

function refuseCoding(header = ''): void {
  const coding = header.split(',').find((each) => !/^\s*(identity\s*)?$/i.test(each));
  if (coding === undefined) return;
  const message = `Request body has the Content-Encoding ${coding.trim()}, which is not accepted`;
  throw new RegistryError('coded', message);
}

/** Middleware for interfaces that take bodies; put it after the login. Throws `too_large` and `coded`. */
export const limitBody = limitBodyTo(maximumBodyBytes);

export const limitBatch = limitBodyTo(maximumBatchBytes);

/**
 * Middleware that parses the query. The zod type must require no parameter: an empty value is invalid, not missing. A refusal describes the
 * expected value.
 */
export function query<Shape extends z.ZodMiniObject, Name extends keyof z.output<Shape>>(
  shape: () => Shape,
  expected: Record<Name, string>,
) {
  return zValidator('query', z.lazy(shape), ({ success, data }, c) => {
    (c as AppContext).set('knownParameters', Object.keys(shape().shape));
    const detailOf = ([name]: readonly PropertyKey[]) =>
      (c.req.queries(name as string)?.length ?? 0) > 1
        ? givenTwice
        : `Expected: ${expected[name as Name]}.`;
    // The library parses asynchronously, which reorders the problems, and without their input.
    const { error } = success ? {} : shape().safeParse(data, { reportInput: true });
    if (error) throw new RegistryError(problemsOf(error, 'invalid', detailOf));
  });
}

/** Middleware that parses the JSON body, and names its unknown fields in `Ignored-Fields`. No body may count as `{}`. */
export function body<Shape extends z.ZodMiniObject>(
  shape: () => Shape,
  { isOptional = false } = {},
): MiddlewareHandler<AppEnv, string, { out: { json: z.output<Shape> } }> {
  return async (c, next) => {
    const isMissing = isOptional && (await c.req.arrayBuffer()).byteLength === 0;
    const given = isMissing ? {} : await jsonBody(c);
    nameIgnoredFields(c, shape(), given);
    c.req.addValidatedData('json', parsed(shape(), given));
    await next();
  };
}

export function parsed<Shape extends z.ZodMiniObject>(
  shape: Shape,
  given: unknown,
): z.output<Shape> {
  const result = shape.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  const detailOf = (path: readonly PropertyKey[]) =>
    objectDetail(shape, given, path) ?? fieldDetail(shape, path);
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
  if (isDeeper(value, levels)) throw malformed(`The body has more than ${levels} levels.`);
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
    const { code, message, path, input } = issue;
    // An element's problem is reported under its list.
    const field = path.filter((part) => typeof part === 'string').join('.');
    const { params } = issue as z.core.$ZodIssueCustom;
    const reason = params?.reason || (isBlank(input) ? blank : 'invalid');
    // For a missing field, the message says enough.
    const isGiven = reason !== 'missing' || isObject(input);
    // A symbol marks a field with two values.
    const expected = typeof input === 'symbol' ? givenTwice : detailOf(path);
    // A rule of our own names what it finds.
    const unseen = code !== 'custom' && typeof input === 'string' && unseenIn(input);
    const detail = params?.detail ?? (unseen ? `It ${unseen}.` : isGiven ? expected : undefined);
    return { reason, message, brief: params?.brief, field, detail, obstacle: params?.obstacle };
  }) as [Problem, ...Problem[]];
}

/** Throws a TypeError for bytes that are not UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The detail must not quote the body. */
function malformed(detail: string, message = 'Request body is not a JSON object'): RegistryError {
  return new RegistryError([{ reason: 'malformed', message, detail }]);
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw malformed('The body is not UTF-8.');
    // Some of the engine's messages quote the text at their end.
    const reason = (error as Error).message.replace(/, ".*/s, '').replace(/, \.\.\.".*/s, '');
    throw malformed(`The body is not JSON: ${reason}.`);
  }
}

/** More than any call's body has. JSON.stringify of some thousand levels would exhaust the stack. */
const levels = 32;

function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1));
}

function unknownFields(shape: z.ZodMiniObject, body: object, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = prefix + name;
    const inner = fieldOf(shape, name);
    if (!inner) return [path];
    // An element's field is named under its list.
    const type = inner instanceof z.ZodMiniArray ? inner.def.element : inner;
    return [value]
      .flat()
      .flatMap((each) =>
        type instanceof z.ZodMiniObject && isObject(each)
          ? unknownFields(type, each, `${path}.`)
          : [],
      );
  });
}

function objectDetail(
  shape: z.ZodMiniObject,
  body: unknown,
  path: readonly PropertyKey[],
): string | undefined {
  let type: z.core.$ZodType | undefined = shape;
  let value: unknown = body;
  for (const name of path) {
    type = type instanceof z.ZodMiniObject ? fieldOf(type, String(name)) : undefined;
    value = isObject(value) ? value[String(name)] : undefined;
  }
  if (!(type instanceof z.ZodMiniObject) || isBlank(value)) return undefined;
  const known = Object.keys(type.shape).join(', ');
  const given = isObject(value) ? Object.keys(value) : [];
  if (given.length === 0) return `An object is expected, with the fields ${known}.`;
  if (given.some((name) => fieldOf(type, name))) return undefined;
  return `None of its fields is known here, which are ${known}.`;
}

function fieldDetail(shape: z.ZodMiniObject, path: readonly PropertyKey[]): string | undefined {
  let type: z.core.$ZodType | undefined = shape;
  for (const name of path.filter((part) => typeof part === 'string')) {
    type = type instanceof z.ZodMiniObject ? fieldOf(type, name) : undefined;
  }
  return type && expectedSentence(type);
}

/** The field's type without `optional` and `nullable`. Undefined for an unknown field. */
function fieldOf(shape: z.ZodMiniObject, name: string): z.core.$ZodType | undefined {
  if (!Object.hasOwn(shape.shape, name)) return undefined;
  let type = shape.shape[name];
  while (type instanceof z.ZodMiniOptional || type instanceof z.ZodMiniNullable)
    type = type.def.innerType;
  return type;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names the body's unknown fields in `Ignored-Fields` by their paths, and other ignored ones. */
export function nameIgnoredFields(
  c: AppContext,
  shape: z.ZodMiniObject,
  body: object,
  others: readonly string[] = [],
): void {
  const paths = new Set([...unknownFields(shape, body), ...others]);
  if (paths.size > 0) c.header('Ignored-Fields', headerList([...paths]));
}

/** Names the query's unknown parameters in `Ignored-Parameters`, each once. */
export function nameIgnoredParameters(c: AppContext): void {
  const start = c.req.url.indexOf('?');
  if (start < 0) return;
  const names = new Set(new URLSearchParams(c.req.url.slice(start)).keys());
  const ignored = [...names].filter((name) => !c.var.knownParameters?.includes(name));
  if (ignored.length > 0) c.res.headers.set('Ignored-Parameters', headerList(ignored));
}

const maximumHeaderLength = 1024;

/**
 * Joins names by commas. Percent-encodes commas, % and everything but visible ASCII. Cuts a long list after a name, and ends it with `...`.
 */
function headerList(names: readonly string[]): string {
  const encoded = names.map((name) =>
    name
      .toWellFormed()
      .replace(/[^\x21-\x2b\x2d-\x7e]|%/gu, encodeURIComponent)
      .slice(0, maximumHeaderLength),
  );
  const list = encoded.join(', ');
  if (list.length <= maximumHeaderLength) return list;
  return `${list.slice(0, list.lastIndexOf(', ', maximumHeaderLength))}, ...`;
}

/** A parameter of the public lists. Throws `invalid` if it is given twice. */
export function parameterOf(c: AppContext, name: string): string | undefined {
  const [value, second] = c.req.queries(name) ?? [];
  if (second === undefined) return value;
  throw new RegistryError('invalid', 'is given twice', name);
}

/** Middleware for calls that cannot answer about a past day, which is none to ignore. */
export const refuseDay: MiddlewareHandler<AppEnv> = (c, next) => {
  if (c.req.query('as_of') === undefined) return next();
  throw new RegistryError('invalid', 'is only possible for a whole list', 'as_of');
};

export function requestedName(c: AppContext): DomainName {
  return domainNameOf(c.req.param('name') ?? '');
}

export const domainNameRule = onFirstUse(() =>
  z.pipe(
    z.string('is not a domain name').check(z.meta({ minLength: 1, maxLength: 253 })),
    z.transform((given, { issues }) => {
      const name = orRefusal(() => domainNameOf(given));
      if (!(name instanceof RegistryError)) return name;
      const { message, obstacle } = name.problems[0];
      issues.push({ code: 'custom', message, params: { obstacle }, input: given });
      return z.NEVER;
    }),
  ),
);
