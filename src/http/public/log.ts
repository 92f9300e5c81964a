import { RegistryError } from '../../error.ts';
import { findCheckpoint, logPrefix } from '../../transparency/append.ts';
import { logBucket, signersOf } from '../../transparency/log.ts';
import { type AppContext, afterResponse } from '../context.ts';
import { newApp } from '../hono.ts';
import { immutable, openToPages } from './answer.ts';

/** The log of what the lists said (C2SP tlog-tiles), as the bucket has it. */
export const log = newApp();

const soonOld = 'public, max-age=5';
const text = 'text/plain; charset=utf-8';

const [checkpointPath, tilePath, keyPath] = [
  '/log/checkpoint',
  '/log/tile/:tile{.+}',
  '/log/key',
] as const;
export const logPaths = [checkpointPath, tilePath, keyPath];

log.get(checkpointPath, async (c) => {
  const bucket = logBucket(c.env);
  return answer(c, bucket && (await recentCheckpoint(c, bucket)), text, soonOld);
});

log.get(tilePath, async (c) => {
  const tile = c.req.param('tile');
  if (!/^(entries|\d\d?)\/(x\d{3}\/)*\d{3}(\.p\/\d{1,3})?$/.test(tile)) throw notInLog();
  const object = await logBucket(c.env)?.get(`${logPrefix}tile/${tile}`);
  return answer(c, await object?.arrayBuffer(), 'application/octet-stream', immutable);
});

log.get(keyPath, async (c) => {
  if (!logBucket(c.env) || !c.env.LOG_KEY) throw notInLog();
  const signers = await signersOf(c.env);
  const keys = signers.map(({ verifierKey }) => `${verifierKey}\n`).join('');
  return c.body(keys, 200, headersOf(text, soonOld));
});

function answer(
  c: AppContext,
  body: string | ArrayBuffer | undefined,
  type: string,
  caching: string,
) {
  if (body === undefined) throw notInLog();
  return c.body(body, 200, headersOf(type, caching));
}

const freshMilliseconds = 5_000;

/** What this isolate has read last, by bucket. Shared by all requests, because everybody may read it. */
const memory = new WeakMap<R2Bucket, { note: Promise<string | undefined>; readAt: number }>();

/**
 * The checkpoint, or that there is none: from memory for at most five seconds, because a listing is dear; read once for
 * all requests that ask for it at the same time.
 */
function recentCheckpoint(c: AppContext, bucket: R2Bucket): Promise<string | undefined> {
  const now = c.var.now.getTime();
  const known = memory.get(bucket);
  // A clock that was set back is younger than what is remembered.
  if (known && now >= known.readAt && now < known.readAt + freshMilliseconds) return known.note;
  const note = findCheckpoint(bucket);
  memory.set(bucket, { note, readAt: now });
  // It goes on for those who wait for it, even if the client that asked first has gone.
  afterResponse(
    c,
    note.catch(() => memory.delete(bucket)),
  );
  return note;
}

const headersOf = (type: string, caching: string) => ({
  ...openToPages,
  'Content-Type': type,
  'Cache-Control': caching,
});

const notInLog = () => new RegistryError('not_found', 'is not in the log', 'base');
