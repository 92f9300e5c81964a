import * as z from 'zod/mini';
import { joinBytes, toBase64 } from '../../base/bytes/encoding.ts';
import { hmacKey } from '../../base/bytes/hmac.ts';
import { RegistryError } from '../../base/error.ts';
import { onFirstUse } from '../../base/on-first-use.ts';
import type { Contact } from '../contact.ts';

/**
 * A client of the service for one type of contact. The protocol is eeID's (github.com/internetee/eeID-ident-api-doc);
 * for details that it leaves open, github.com/internetee/registry: app/services/eeid and
 * app/interactions/actions/contact_verify.rb.
 */
export interface IdentityClient {
  url: string;
  identType: string;
  id: string;
  secret: string;
}

export type Identification = z.output<ReturnType<typeof identification>>;

/** Covers all calls of one task. The service itself gives up after ten seconds. */
const maximumMilliseconds = 5_000;
const maximumJsonBytes = 64 * 1024;
const maximumPdfBytes = 8 * 1024 * 1024;

const token = onFirstUse(() => z.object({ access_token: z.string() }));

const identification = onFirstUse(() =>
  z.object({
    // Becomes the reference of a verification.
    id: z.string().check(z.regex(/^[\w-]{1,100}$/)),
    link: z.string().check(z.regex(/^https?:\/\/\S{1,2000}$/)),
    status: z.enum(['pending', 'completed', 'expired']),
    result: z.nullish(z.looseObject({})),
  }),
);

/**
 * Throws `invalid` for an organisation, since only people can be identified; `not_offered` if the registry has no
 * client for the type.
 */
export function clientFor(
  clients: readonly IdentityClient[],
  { identType }: Contact,
): IdentityClient {
  if (identType !== 'priv' && identType !== 'birthday') {
    const message = 'Ident type is invalid';
    const detail = 'Only people can be identified: contacts of the types priv and birthday.';
    throw new RegistryError([{ reason: 'invalid', message, field: 'ident_type', detail }]);
  }
  const client = clients.find((each) => each.identType === identType);
  if (client) return client;
  throw noIdentityService();
}

export function noIdentityService(): RegistryError {
  return new RegistryError('not_offered', 'There is no identity service');
}

function failed(): RegistryError {
  return new RegistryError('service_failed', 'The identity service has failed; try again later');
}

/** Throws `service_failed`. */
export async function createIdentification(
  client: IdentityClient,
  { code, ident, identType, identCountryCode, name }: Contact,
): Promise<Identification> {
  const claims =
    identType === 'birthday'
      ? { birthdate: ident, name, country: identCountryCode }
      : { sub: identCountryCode + ident };
  const claimsRequired = Object.entries(claims).map(([type, value]) => ({ type, value }));
  const body = JSON.stringify({ claims_required: claimsRequired, reference: code });
  return parsed(identification(), await ask(client, '', maximumJsonBytes, body));
}

/** Returns undefined for an unknown request. Throws `service_failed`. */
export async function findIdentification(
  client: IdentityClient,
  id: string,
): Promise<Identification | undefined> {
  const answer = await ask(client, `/${encodeURIComponent(id)}`, maximumJsonBytes);
  const result = answer && parsed(identification(), answer);
  if (result && result.id !== id) throw failed();
  return result;
}

/** Returns the PDF; undefined if there is none. Throws `service_failed`. */
export async function findProof(
  client: IdentityClient,
  id: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const path = `/${encodeURIComponent(id)}/proof_of_identity`;
  const pdf = await ask(client, path, maximumPdfBytes);
  if (pdf && !decoder.decode(pdf.subarray(0, 5)).startsWith('%PDF-')) throw failed();
  return pdf;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Takes a token and makes one call within a common time limit. Returns the body; undefined for a 404. */
async function ask(
  { url, id, secret }: IdentityClient,
  path: string,
  maximumBytes: number,
  body?: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const signal = AbortSignal.timeout(maximumMilliseconds);
  const call = async (path: string, authorization: string, limit: number, init: RequestInit) => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    // A redirect would send the credentials elsewhere.
    const options = { ...init, headers, redirect: 'manual', signal } as const;
    const response = await fetch(`${url}/api/${path}`, options);
    if (response.ok) return readAll(response, limit);
    await response.body?.cancel();
    if (response.status === 404) return undefined;
    throw failed();
  };
  try {
    const basic = `Basic ${toBase64(encoder.encode(`${id}:${secret}`))}`;
    const login = await call('auth/v1/token', basic, maximumJsonBytes, { method: 'POST' });
    const bearer = `Bearer ${parsed(token(), login).access_token}`;
    const init = body === undefined ? {} : { method: 'POST', body };
    return await call(`ident/v1/identification_requests${path}`, bearer, maximumBytes, init);
  } catch {
    throw failed();
  }
}

async function readAll({ body }: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > limit) throw failed();
    parts.push(part);
  }
  return joinBytes(parts);
}

function parsed<Shape extends z.ZodMiniObject>(
  shape: Shape,
  bytes: Uint8Array | undefined,
): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(decoder.decode(bytes)));
  } catch {
    throw failed();
  }
}

/**
 * Verifies HMAC-SHA256 in hexadecimal over the body without white space, as in
 * app/controllers/eeid/webhooks/identification_requests_controller.rb.
 */
export async function isSigned(
  { secret }: IdentityClient,
  body: ArrayBuffer,
  signature: string,
): Promise<boolean> {
  const digits = signature.match(/[0-9a-f]{2}/gi) ?? [];
  const mac = Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16));
  const message = new Uint8Array(body).filter((byte) => byte !== 0x20 && (byte < 9 || byte > 13));
  // Every wrong signature takes the same time.
  return crypto.subtle.verify('HMAC', await hmacKey(encoder.encode(secret)), mac, message);
}
