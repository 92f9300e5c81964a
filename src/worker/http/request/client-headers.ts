import type { MiddlewareHandler } from 'hono';
import { sha256Hex } from '../../../base/bytes/digest.ts';
import { RegistryError } from '../../../base/error.ts';
import type { WriteRequest } from '../../../change/origin.ts';
import type { IdempotencyKey } from '../../../change/outcome.ts';
import { type Contact, checkVersion, versionOf } from '../../../contact/contact.ts';
import type { RegistrarCall } from '../../../party/registrar/login.ts';
import { type AppContext, type AppEnv, database } from './context.ts';

export const bookmarkHeader = 'X-D1-Bookmark';

/** A D1 bookmark (d1/reference/time-travel): four hexadecimal numbers. */
export const bookmarkPattern = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

function malformedHeader(field: string, name: string, expected: string): RegistryError {
  const detail = `Expected: ${expected}.`;
  return new RegistryError([{ reason: 'invalid', message: `${name} is invalid`, field, detail }]);
}

export function bookmarkRefused(): RegistryError {
  return malformedHeader(bookmarkHeader, 'Bookmark', 'the value from an earlier answer');
}

/**
 * Accepts the client's bookmark and returns a new one, so that the client reads its own writes from the nearest replica. Throws `invalid` for
 * a malformed bookmark.
 */
export const continueSession: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header(bookmarkHeader);
  if (given !== undefined) {
    if (!bookmarkPattern.test(given)) throw bookmarkRefused();
    c.set('bookmark', given);
  }
  await next();
  const bookmark = c.var.session?.getBookmark();
  if (bookmark) c.header(bookmarkHeader, bookmark);
};

/** The first present header counts. */
const clientReferenceHeaders = ['X-Client-Transaction-Id', 'RPP-Cltrid'];

/** 1 to 64 printable ASCII characters: an EPP clTRID (RFC 5730) that a header can repeat. */
export const clientReferencePattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;

export function clientReference(c: AppContext): { name: string; value: string } | undefined {
  return clientReferenceHeaders
    .map((name) => ({ name, value: c.req.header(name) }))
    .find((header): header is { name: string; value: string } => header.value !== undefined);
}

/** Repeats the client's reference in its header. Throws `invalid` if it is malformed. */
export const echoClientReference: MiddlewareHandler<AppEnv> = async (c, next) => {
  const reference = clientReference(c);
  if (reference) {
    const { name, value } = reference;
    if (!clientReferencePattern.test(value)) {
      throw malformedHeader(
        name,
        'Client transaction id',
        'text of 1 to 64 visible ASCII characters and spaces',
      );
    }
    c.header(name, value);
  }
  await next();
};

/** Conditions on the version of one contact (RFC 9110, section 13). Malformed ones throw `invalid`. */

function writeCondition(c: AppContext): (version: string) => boolean {
  const { isExpected, isKnown } = conditionsIn(c);
  return (version) => isExpected(version) && !isKnown(version);
}

/** The response to a read of one contact: 304 for the client's version. Throws `changed_meanwhile`. */
export function contactAnswer(c: AppContext, contact: Contact, body: object): Response {
  const { isExpected, isKnown } = conditionsIn(c);
  checkVersion(contact, { isExpected });
  const version = versionOf(contact);
  c.header('ETag', `"${version}"`);
  return isKnown(version) ? c.body(null, 304) : c.json(body);
}

function conditionsIn(c: AppContext) {
  const [match, noneMatch] = [tagListIn(c, 'If-Match'), tagListIn(c, 'If-None-Match')];
  return {
    isExpected: (version: string) => match === undefined || matches('strong', match, version),
    isKnown: (version: string) => noneMatch !== undefined && matches('weak', noneMatch, version),
  };
}

function tagListIn(c: AppContext, name: 'If-Match' | 'If-None-Match'): string | undefined {
  const value = c.req.header(name);
  if (value === undefined || isTagList(value)) return value;
  const message = `${name} is invalid`;
  const detail = `${name} takes entity tags in quotes, as ETag gives them, separated by commas, or *.`;
  throw new RegistryError([{ reason: 'invalid', message, field: name, detail }]);
}

/** Matches entity tags (RFC 9110, 8.8.3), which may contain commas but no white space. */
const listedTag = /(?:^|,)[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/g;

function isTagList(header: string): boolean {
  const rest = header.replace(listedTag, '');
  return header.trim() === '*' || (rest !== header && /^[\t ,]*$/.test(rest));
}

/** Whether the header has the tag. In the strong comparison (`If-Match`), a weak tag never matches. */
export function matches(comparison: 'strong' | 'weak', header: string, opaque: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(listedTag)].some(
    ([, weak, tag]) => tag === opaque && (comparison === 'weak' || weak === undefined),
  );
}

/** The request for `write`. Throws `invalid` for a malformed key or condition. */
export async function writeRequest(c: AppContext): Promise<WriteRequest> {
  return {
    at: c.var.now,
    requestId: c.var.requestId,
    clientReference: clientReference(c)?.value,
    isExpected: writeCondition(c),
    key: await idempotencyKey(c),
  };
}

export async function registrarCall(c: AppContext): Promise<RegistrarCall> {
  return { db: database(c), login: c.var.login, request: await writeRequest(c) };
}

export function markReplay(c: AppContext, isReplay: boolean): void {
  if (isReplay) c.header('Idempotent-Replayed', 'true');
}

/** A quoted string (RFC 8941), as in the draft, or the bare key of most clients. */
export const keyPattern =
  /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

async function idempotencyKey(c: AppContext): Promise<IdempotencyKey | undefined> {
  const header = c.req.header('Idempotency-Key');
  if (header === undefined) return undefined;
  const [, quoted, bare] = keyPattern.exec(header) ?? [];
  const value = quoted ?? bare;
  if (value === undefined) {
    const expected =
      '1 to 255 visible ASCII characters without quotes and backslashes; in double quotes, spaces too';
    throw malformedHeader('Idempotency-Key', 'Idempotency key', expected);
  }
  const body = await c.req.arrayBuffer();
  const requestDigest = await sha256Hex(`${c.req.method} ${c.req.path} ${await sha256Hex(body)}`);
  return { value, requestDigest };
}
