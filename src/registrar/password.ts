import { fromBase64, toBase64 } from '../bytes/encoding.ts';

/** The most rounds that Cloudflare's WebCrypto accepts. */
const rounds = 100_000;
const saltBytes = 16;
const scheme = 'pbkdf2-sha256';

/** A hash as it is stored: `pbkdf2-sha256$<rounds>$<salt>$<hash>`, salt and hash in base64. */
export const passwordHashPattern =
  /^pbkdf2-sha256\$100000\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/;

/** The slow hash of a password with a new salt, as it is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  return [scheme, rounds, toBase64(salt), toBase64(await derive(password, salt, rounds))].join('$');
}

/** Whether this is the password of the stored hash; takes as long for a wrong one as for the right one. */
export async function isPasswordOf(stored: string, password: string): Promise<boolean> {
  const [, given, salt, hash] = stored.split('$') as [string, string, string, string];
  const wanted = fromBase64(hash)!;
  const derived = await derive(password, fromBase64(salt)!, Number(given));
  const differing = derived.reduce((bits, byte, index) => bits | (byte ^ wanted[index]!), 0);
  return differing === 0;
}

/** PBKDF2 (RFC 8018) with HMAC-SHA-256: 32 bytes. */
async function derive(password: string, salt: BufferSource, iterations: number) {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}

/**
 * The stored hashes that this isolate has verified a password against, by username and digest of the password, so that
 * only the first login of many costs the slow hash.
 *
 * Shared between requests on purpose: a hash found here is only a claim, which the query of each request compares with
 * the stored one. So a new password and a disabled user count from the next request.
 */
const verified = new Map<string, { stored: string; until: number }>();

const rememberedMilliseconds = 10 * 60 * 1000;
/** The oldest is dropped first. Some 300 bytes each. */
const maximumRemembered = 1_000;

interface Given {
  username: string;
  secretDigest: string;
}

/** Remembers for ten minutes that the password has been verified against the stored hash. */
export function rememberVerified(given: Given, stored: string): void {
  verified.delete(keyOf(given));
  verified.set(keyOf(given), { stored, until: Date.now() + rememberedMilliseconds });
  const [oldest] = verified.keys();
  if (verified.size > maximumRemembered && oldest !== undefined) verified.delete(oldest);
}

/** The stored hash against which the password was last verified; null if none is remembered. */
export function verifiedHash(given: Given): string | null {
  const known = verified.get(keyOf(given));
  return known && known.until > Date.now() ? known.stored : null;
}

function keyOf({ username, secretDigest }: Given): string {
  return `${secretDigest}:${username}`;
}
