import { fromBase64 } from '../../base/bytes/encoding.ts';
import { isRecent } from '../../base/time/clock.ts';

/** Takes the same time for a wrong password as for the right one. */
export async function isPasswordOf(stored: string, password: string): Promise<boolean> {
  const [, iterations, salt, hash] = stored.split('$') as [string, string, string, string];
  const expected = fromBase64(hash)!;
  const derived = await derive(password, fromBase64(salt)!, Number(iterations));
  const difference = derived.reduce((bits, byte, index) => bits | (byte ^ expected[index]!), 0);
  return difference === 0;
}

/** PBKDF2 (RFC 8018) with HMAC-SHA-256: 32 bytes. */
export async function derive(password: string, salt: BufferSource, iterations: number) {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}

/**
 * Hashes against which this isolate has verified passwords, so only the first login costs the slow hash. An entry is
 * only a claim: each request's query compares it with the stored hash.
 */
const verifiedHashes = new Map<string, { stored: string; verifiedAt: number }>();

const rememberedMilliseconds = 10 * 60 * 1000;
/** An entry takes about 300 bytes. The oldest is dropped first. */
const maximumRemembered = 1_000;

export interface Credentials {
  username: string;
  secretDigest: string;
}

export function rememberVerified(claim: Credentials, stored: string): void {
  verifiedHashes.delete(loginKey(claim));
  verifiedHashes.set(loginKey(claim), { stored, verifiedAt: Date.now() });
  const [oldest] = verifiedHashes.keys();
  if (verifiedHashes.size > maximumRemembered && oldest !== undefined)
    verifiedHashes.delete(oldest);
}

export function verifiedHash(claim: Credentials): string | null {
  const entry = verifiedHashes.get(loginKey(claim));
  const isKept = entry && isRecent(entry.verifiedAt, Date.now(), rememberedMilliseconds);
  return isKept ? entry.stored : null;
}

export function loginKey({ username, secretDigest }: Credentials): string {
  return `${secretDigest}:${username}`;
}
