import { randomHex, sha256Hex } from '../../base/bytes/digest.ts';

/** A new secret: 256 random bits, 64 hexadecimal digits. */
export function generateSecret(): string {
  return randomHex(32);
}

/**
 * The SHA-256 of a secret, which is all that is stored of it. A fast hash is enough because secrets are generated with
 * at least 160 random bits, so neither a dictionary nor guessing leads from a digest to its secret.
 */
export function digestSecret(secret: string): Promise<string> {
  return sha256Hex(secret);
}
