import { decodeBase64Url, encodeBase64Url } from 'hono/utils/encode';
import * as z from 'zod';
import { identityKey } from '../contact/identity-code.ts';
import type { Page } from '../database/paging.ts';
import { settings } from '../env.ts';
import { RegistryError } from '../error.ts';
import { onFirstUse } from '../on-first-use.ts';
import type { TokenKey } from '../registrant/token.ts';
import type { AppContext } from './context.ts';

/**
 * Paging. `offset` counts from the beginning, so it skips or repeats elements when others are deleted or added. `after`
 * names the place in the order where the previous page ended. It is signed for one caller and one listing, so that clients
 * take it from the `Link` (RFC 8288) of a full page and never make one up.
 */

const wholeNumber = (label: string, minimum: number, maximum: number) =>
  z
    .string(`${label} is invalid`)
    .meta({ minimum, maximum })
    .regex(/^-?\d+$/, `${label} is invalid`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, {
      params: { reason: 'out_of_range' },
      error: `${label} is out of range`,
    });

/** The parameters of a listing. */
export const pageQuery = onFirstUse(() =>
  z.object({
    limit: wholeNumber('Limit', 1, 200).default(200),
    offset: wholeNumber('Offset', 0, Number.MAX_SAFE_INTEGER).optional(),
    after: z.string('After is invalid').optional(),
  }),
);

/** The page that the parameters ask for. Throws `invalid` for an `after` that was not issued to the caller. */
export async function requestedPage(
  c: AppContext,
  { limit, offset, after }: z.output<ReturnType<typeof pageQuery>>,
): Promise<Page> {
  if (after === undefined) return { limit, offset: offset ?? 0 };
  if (offset !== undefined) {
    throw new RegistryError([{ ...invalid, detail: 'after and offset exclude each other.' }]);
  }
  return { limit, offset: 0, after: await placeOf(c, after) };
}

/** Links the page to the one that begins after `place`; without a place, it is the last one. */
export async function linkNext(c: AppContext, { limit }: Page, place?: number): Promise<void> {
  if (place === undefined) return;
  const url = new URL(c.req.url);
  const isKept = (name: string) => name !== 'offset' && c.var.knownParameters?.includes(name);
  const kept = [...url.searchParams].filter(([name]) => isKept(name));
  const next = new URLSearchParams(kept);
  next.set('limit', String(limit));
  next.delete('after');
  next.append('after', await afterOf(c, place));
  url.search = next.toString();
  c.header('Link', `<${url.href}>; rel="next"`);
}

const invalid = { reason: 'invalid', message: 'After is invalid', field: 'after' } as const;

/** The place in base 36, and its signature. */
async function afterOf(c: AppContext, place: number): Promise<string> {
  const [key] = settings(c.env).registrantTokenKeys;
  const signature = await crypto.subtle.sign('HMAC', await hmacKey(key), signed(c, place));
  return `${place.toString(36)}.${encodeBase64Url(signature)}`;
}

async function placeOf(c: AppContext, after: string): Promise<number> {
  const [, digits = '', signature] = /^([1-9a-z][0-9a-z]{0,9})\.([\w-]{64})$/.exec(after) ?? [];
  if (signature !== undefined) {
    const place = Number.parseInt(digits, 36);
    const bytes = decodeBase64Url(signature);
    for (const key of settings(c.env).registrantTokenKeys) {
      const hmac = await hmacKey(key);
      if (await crypto.subtle.verify('HMAC', hmac, bytes, signed(c, place))) return place;
    }
  }
  throw new RegistryError([invalid]);
}

/** The keys sign tokens as well (JWT), but no token's signed part begins as this does. */
function signed(c: AppContext, place: number): BufferSource {
  const { login, person } = c.var;
  const caller = login?.username ?? [person.countryCode, identityKey(person.code)];
  const listing = c.req.path.replace(/\/+$/, '');
  return new TextEncoder().encode(JSON.stringify(['after', listing, caller, place]));
}

/** SHA-384, since base64 spells 48 bytes in one way only, without a rest. */
function hmacKey({ secret }: TokenKey): Promise<CryptoKey> {
  const bytes = secret as Uint8Array<ArrayBuffer>;
  const algorithm = { name: 'HMAC', hash: 'SHA-384' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
}
