const maximumTries = 3;
const pauseMilliseconds = 50;
/** KV takes one write a second for a key. */
const sameKeyPauseMilliseconds = 1_100;

/** Puts the value of a key that is written once. */
export function putConstant(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return tried(() => kv.put(key, value));
}

/** Puts the value of a key that others may write at the same time. */
export function putVariable(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer> | string,
  metadata?: object,
): Promise<void> {
  return tried(() => kv.put(key, value, metadata && { metadata }), sameKeyPauseMilliseconds);
}

/** For how long a location may keep what never changes. Longer than a day it may be swept. */
const blockCacheSeconds = 24 * 60 * 60;

/** The value of a key that is written once; null where there is none. */
export function getConstant(kv: KVNamespace, key: string): Promise<ArrayBuffer | null> {
  return kv.get(key, { type: 'arrayBuffer', cacheTtl: blockCacheSeconds });
}

/** Repeats what failed, twice: a put that failed may have come through, and may not. */
export async function tried<Result>(
  attempt: () => Promise<Result>,
  pause = pauseMilliseconds,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === maximumTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
