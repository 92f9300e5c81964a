import { RegistryError } from '../../../base/error.ts';
import { findCheckpoint, logPrefix } from '../../../list/log/append.ts';
import { logBucket, signersOf } from '../../../list/log/signed-log.ts';
import { type AppContext, newApp } from '../request/context.ts';
import { Recent } from '../request/recent.ts';
import { immutable, openToPages } from './answer.ts';

export const log = newApp();

const soonOld = 'public, max-age=5';
const text = 'text/plain; charset=utf-8';

const [checkpointPath, tilePath, keyPath] = [
  '/log/checkpoint',
  '/log/tile/:tile{.+}',
  '/log/key',
] as const;
export const logPaths = [checkpointPath, tilePath, keyPath];

/** Undefined if a bucket has none. A listing is expensive. */
const checkpoints = new Recent<R2Bucket, string | undefined>();

log.get(checkpointPath, async (c) => {
  const bucket = logBucket(c.env);
  const note = bucket && (await checkpoints.get(c, bucket, () => findCheckpoint(bucket)));
  return answer(c, note, text, soonOld);
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
  return answer(c, keys, text, soonOld);
});

function answer(
  c: AppContext,
  body: string | ArrayBuffer | undefined,
  type: string,
  caching: string,
) {
  if (body === undefined) throw notInLog();
  return c.body(body, 200, { ...openToPages, 'Content-Type': type, 'Cache-Control': caching });
}

const notInLog = () => new RegistryError('not_found', 'is not in the log', 'base');
