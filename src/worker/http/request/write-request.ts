import { sha256Hex } from '../../../base/bytes/digest.ts';
import { RegistryError } from '../../../base/error.ts';
import type { IdempotencyKey } from '../../../change/outcome.ts';
import type { WriteRequest } from '../../../change/write.ts';
import { clientReference } from './client-reference.ts';
import type { AppContext } from './context.ts';
import { writeCondition } from './preconditions.ts';

/** The request for `write`. Throws `invalid` for a malformed key or condition. */
export async function writeRequest(c: AppContext): Promise<WriteRequest> {
  return {
    at: c.var.now,
    requestId: c.var.requestId,
    clientReference: clientReference(c)?.value,
    isExpected: writeCondition(c),
    key: await idempotencyKey(c),
  };
}

export function markReplay(c: AppContext, isReplay: boolean): void {
  if (isReplay) c.header('Idempotent-Replayed', 'true');
}

/** A quoted string (RFC 8941), as the draft requires, or the bare key that most clients send. */
export const keyPattern =
  /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

async function idempotencyKey(c: AppContext): Promise<IdempotencyKey | undefined> {
  const header = c.req.header('Idempotency-Key');
  if (header === undefined) return undefined;
  const [, quoted, bare] = keyPattern.exec(header) ?? [];
  const value = quoted ?? bare;
  if (value === undefined) {
    throw new RegistryError('invalid', 'Idempotency key is invalid', 'Idempotency-Key');
  }
  const body = await c.req.arrayBuffer();
  const requestDigest = await sha256Hex(`${c.req.method} ${c.req.path} ${await sha256Hex(body)}`);
  return { value, requestDigest };
}
