import { toBase64 } from '../../../base/bytes/encoding.ts';
import { derive } from '../password.ts';

/** The most rounds that Cloudflare's WebCrypto accepts. */
const rounds = 100_000;
const saltBytes = 16;
const scheme = 'pbkdf2-sha256';

/** Returns a slow hash with a new salt: `pbkdf2-sha256$<rounds>$<salt>$<hash>`, salt and hash in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
  return [scheme, rounds, toBase64(salt), toBase64(await derive(password, salt, rounds))].join('$');
}
