export async function sha256Hex(data: string | BufferSource): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Returns whether a secret is among the given ones. Compares digests, whose timing reveals no secret. */
export async function matcherOf(given: readonly string[]) {
  const digests = new Set(await Promise.all(given.map((secret) => sha256Hex(secret))));
  return async (secret: string | null | undefined) =>
    typeof secret === 'string' && digests.has(await sha256Hex(secret));
}

/** Two hexadecimal digits for each byte. */
export function randomHex(bytes: number): string {
  return hex(crypto.getRandomValues(new Uint8Array(bytes)));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
