/** Standard Webhooks (standardwebhooks.com) gives this prefix to secrets. */
const prefix = 'whsec_';

/** A new secret of a webhook: 256 random bits in base64, with the prefix. */
export function generateWebhookSecret(): string {
  return prefix + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

/** The bytes with which a secret signs. */
export function signingKeyOf(secret: string): Uint8Array {
  return Uint8Array.from(atob(secret.slice(prefix.length)), (byte) => byte.charCodeAt(0));
}
