import { hex } from '../../base/bytes/digest.ts';
import { fromBase64, joinBytes, toBase64 } from '../../base/bytes/encoding.ts';
import { type Hash, hashBytes } from './tree.ts';

/** A signed note with the size and the root of a log (C2SP signed-note, tlog-checkpoint). */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Hash;
}

export interface Signer {
  verifierKey: string;
  sign(text: string): Promise<Uint8Array>;
}

/** Ed25519 in notes. */
export const ed25519 = 1;
const seedBytes = 32;
/** PKCS #8 before the seed (RFC 8410, section 7). */
const pkcs8Start = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, seedBytes];

/** `seed` is in base64. Throws an Error, without the seed, if the name or the seed is malformed. */
export async function signerOf(name: string, seed: string): Promise<Signer> {
  if (!/^[!-*,-~]+$/.test(name)) {
    throw new Error('the name of a log has no spaces, no plus, and nothing but visible ASCII');
  }
  const bytes = fromBase64(seed);
  if (bytes?.length !== seedBytes)
    throw new Error(`the key of the log must be ${seedBytes} bytes in base64`);
  const pkcs8 = joinBytes([pkcs8Start, bytes]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  // The only form in which a private key gives away the public one.
  const { x } = (await crypto.subtle.exportKey('jwk', key)) as JsonWebKey;
  const publicKey = fromBase64(x!.replaceAll('-', '+').replaceAll('_', '/'))!;
  const material = joinBytes([[ed25519], publicKey]);
  const id = await keyId(name, material);
  return {
    verifierKey: `${name}+${hex(id)}+${toBase64(material)}`,
    async sign(text) {
      const data = new TextEncoder().encode(text);
      const signature = await crypto.subtle.sign('Ed25519', key, data);
      return joinBytes([id, new Uint8Array(signature)]);
    },
  };
}

/** Four bytes of the digest of a key with its name. */
export async function keyId(name: string, material: Uint8Array): Promise<Uint8Array> {
  const named = joinBytes([new TextEncoder().encode(`${name}\n`), material]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', named)).slice(0, 4);
}

/** Every key adds a signature. */
export async function signCheckpoint(
  { origin, size, root }: Checkpoint,
  signers: readonly Signer[],
): Promise<string> {
  const text = `${origin}\n${size}\n${toBase64(root)}\n`;
  const lines = signers.map(
    async ({ sign }) => `${signatureStart}${origin} ${toBase64(await sign(text))}\n`,
  );
  return `${text}\n${(await Promise.all(lines)).join('')}`;
}

export const signatureStart = '\u2014 ';

/** Whoever signed it. Throws an Error if the note is not a checkpoint. */
export function parseCheckpoint(note: string): Checkpoint {
  const [origin = '', size = '', hash = ''] = note.split('\n');
  const root = fromBase64(hash);
  if (origin === '' || !/^(0|[1-9]\d{0,14})$/.test(size) || root?.length !== hashBytes) {
    throw new Error('is not a checkpoint');
  }
  return { origin, size: Number(size), root };
}
