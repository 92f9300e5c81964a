/** Imports a key of HMAC-SHA256 (RFC 2104) for `crypto.subtle.sign` and `verify`. */
export function hmacKey(secret: Uint8Array): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, [
    'sign',
    'verify',
  ]);
}
