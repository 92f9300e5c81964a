import * as z from 'zod/mini';
import { fromBase64, fromUrlAlphabet, toBase64Url } from '../../base/bytes/encoding.ts';
import { hmacKey } from '../../base/bytes/hmac.ts';
import { LoginError, type LoginRefusal } from '../../base/error.ts';

export interface Person {
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode: string;
  code: string;
  firstName: string;
  lastName: string;
}

export interface TokenKey {
  id: string;
  secret: Uint8Array;
}

// A JWS (RFC 7515) of one algorithm. Helpers for every algorithm would add 2 KiB to the bundle.
const alg = 'HS256';
const iss = 'registry-edge';
const aud = 'registrant';
const tokenLifetimeSeconds = 2 * 60 * 60;
/** The issuing machine's clock may be ahead. */
const leewaySeconds = 60;

/** Nobody here understands an extension, so a critical one is refused (section 4.1.11). */
const headerShape = z.object({
  alg: z.literal(alg),
  kid: z.string(),
  crit: z.optional(z.undefined()),
});

const claimsShape = z.object({
  iss: z.literal(iss),
  aud: z.literal(aud),
  sub: z.string(),
  country_code: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  iat: z.number(),
  nbf: z.number(),
  exp: z.number(),
});

/** Returns a JWT (RFC 7519), signed with the first key, for a person whom the caller has authenticated. */
export async function issueToken(
  [key]: readonly [TokenKey, ...TokenKey[]],
  person: Person,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const issuedAtSeconds = secondsOf(now);
  const expiresAtSeconds = issuedAtSeconds + tokenLifetimeSeconds;
  const claims: z.infer<typeof claimsShape> = {
    iss,
    aud,
    sub: person.code,
    country_code: person.countryCode,
    first_name: person.firstName,
    last_name: person.lastName,
    iat: issuedAtSeconds,
    nbf: issuedAtSeconds,
    exp: expiresAtSeconds,
  };
  const signed = `${encoded({ alg, kid: key.id, typ: 'JWT' })}.${encoded(claims)}`;
  const signature = await crypto.subtle.sign('HMAC', await hmacKey(key.secret), bytesOf(signed));
  const token = `${signed}.${toBase64Url(new Uint8Array(signature))}`;
  return { token, expiresAt: new Date(expiresAtSeconds * 1000) };
}

/**
 * Also returns whether the token has expired. Throws `unauthorized` if it is malformed, forged, not yet valid, issued
 * for another purpose, or signed with a key outside the list.
 */
export async function verifyToken(
  keys: readonly TokenKey[],
  token: string,
  now: Date,
): Promise<{ person: Person; isExpired: boolean }> {
  const claims = await verifiedClaims(keys, token);
  const person = {
    countryCode: claims.country_code,
    code: claims.sub,
    firstName: claims.first_name,
    lastName: claims.last_name,
  };
  const nowSeconds = secondsOf(now);
  if (nowSeconds + leewaySeconds < Math.max(claims.nbf, claims.iat)) throw refused('wrong claims');
  return { person, isExpired: nowSeconds >= claims.exp };
}

/** Ignores the token's times. */
async function verifiedClaims(keys: readonly TokenKey[], token: string) {
  const [, header, payload, base64Url] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  const { data: named } = headerShape.safeParse(decoded(header));
  const signature = bytesFrom(base64Url);
  if (!named || !signature) throw refused('malformed token');
  const key = keys.find(({ id }) => id === named.kid);
  if (!key) throw refused('unknown key');
  const signed = bytesOf(`${header}.${payload}`);
  if (!(await crypto.subtle.verify('HMAC', await hmacKey(key.secret), signature, signed))) {
    throw refused('wrong signature');
  }
  const { data: claims } = claimsShape.safeParse(decoded(payload));
  if (!claims) throw refused('wrong claims');
  return claims;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

const encoded = (value: object) => toBase64Url(bytesOf(JSON.stringify(value)));

const bytesFrom = (base64Url = '') => fromBase64(fromUrlAlphabet(base64Url));

/** Undefined if the text is not JSON. */
function decoded(base64Url: string | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytesFrom(base64Url)));
  } catch {
    return undefined;
  }
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, 'Not authorized');
}
