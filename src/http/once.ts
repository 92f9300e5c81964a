import { sha256Hex } from '../digest.ts';
import type { AlreadyDone, Once } from '../idempotency.ts';
import type { AppContext } from './context.ts';
import { refuse } from './input.ts';

/** A string of RFC 8941, as the draft wants it, or the bare key, as most clients send it. */
const keyPattern =
  /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/**
 * What `Idempotency-Key` asks for, if it is there: the write is done once, and `answer` is what its outcome is told
 * with, now and when the request comes again.
 */
export async function once<Outcome>(
  c: AppContext,
  answer: (outcome: Outcome) => object,
): Promise<Once<Outcome> | undefined> {
  const header = c.req.header('Idempotency-Key');
  if (header === undefined) return undefined;
  const [, quoted, bare] = keyPattern.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) {
    const message = 'Idempotency key is invalid';
    return refuse(c, [{ reason: 'invalid', message, field: 'Idempotency-Key' }]);
  }
  const body = await c.req.arrayBuffer();
  const requestDigest = await sha256Hex(`${c.req.method} ${c.req.path} ${await sha256Hex(body)}`);
  return { key, requestDigest, answer: (outcome) => JSON.stringify(answer(outcome)) };
}

/** The first answer once more, marked as such. */
export function replay(c: AppContext, { answer }: AlreadyDone): Response {
  return c.body(answer, 200, {
    'Content-Type': 'application/json',
    'Idempotent-Replayed': 'true',
  });
}
