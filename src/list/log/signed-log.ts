import { type Env, isLocalEnvironment } from '../../base/env.ts';
import { appendDays } from './append.ts';
import { type Signer, signerOf } from './note.ts';

/** Undefined if no log is kept, because the archive or the log's name is missing. */
export function logBucket({ ARCHIVE, LOG_ORIGIN }: Env): R2Bucket | undefined {
  return LOG_ORIGIN ? ARCHIVE : undefined;
}

/**
 * One key, or two while its verifiers change to the next. Throws an Error if one is malformed, or is the demo key in a
 * deployment.
 */
export async function signersOf(env: Env): Promise<Signer[]> {
  const { LOG_ORIGIN = '', LOG_KEY = '', LOG_KEY_NEXT } = env;
  const seeds = LOG_KEY_NEXT ? [LOG_KEY, LOG_KEY_NEXT] : [LOG_KEY];
  if (seeds.some((seed) => seed.startsWith(btoa('demo-l'))) && !isLocalEnvironment(env)) {
    throw new Error('the key of the log is the demo key');
  }
  return Promise.all(seeds.map((seed) => signerOf(LOG_ORIGIN, seed)));
}

/** Does nothing unless a log is kept and there is a key that signs it. */
export async function appendToLog(env: Env): Promise<void> {
  const bucket = logBucket(env);
  if (bucket && env.LOG_KEY) await appendDays(bucket, env.LOG_ORIGIN!, await signersOf(env));
}
