import { decode, sign, verify } from 'hono/utils/jwt/jwt';
import { JwtTokenSignatureMismatched } from 'hono/utils/jwt/types';
import * as z from 'zod/mini';
import { toBase64Url } from '../../base/bytes/encoding.ts';
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

const alg = 'HS256';
const iss = 'registry-edge';
const aud = 'registrant';
const tokenLifetimeSeconds = 2 * 60 * 60;
/** The issuing machine's clock may be ahead. */
const leewaySeconds = 60;

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
  const token = await sign(claims, webKey(key), alg);
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
  try {
    const { kid } = decode(token).header;
    const key = keys.find(({ id }) => id === kid);
    if (!key) throw refused('unknown key');
    // The library would compare the times with its own clock.
    const times = { exp: false, nbf: false, iat: false };
    const { data: claims } = claimsShape.safeParse(
      await verify(token, webKey(key), { alg, ...times }),
    );
    if (!claims) throw refused('wrong claims');
    return claims;
  } catch (error) {
    if (error instanceof LoginError) throw error;
    const isForged = error instanceof JwtTokenSignatureMismatched;
    throw refused(isForged ? 'wrong signature' : 'malformed token');
  }
}

/** A JWK (RFC 7517), whose name goes into the token. */
function webKey({ id, secret }: TokenKey) {
  return { kty: 'oct', kid: id, alg, k: toBase64Url(secret) };
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, 'Not authorized');
}
