const maximumTries = 3;
const pauseMilliseconds = 50;
/** KV accepts one write a second to the same key. */
const sameKeyPauseMilliseconds = 1_100;

/** Puts the value of a key that is written only once. */
export function putConstant(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return tried(() => kv.put(key, value));
}

/** Puts the value of a key that is written again and again, perhaps by others at the same time. */
export function putVariable(
  kv: KVNamespace,
  key: string,
  value: Uint8Array<ArrayBuffer> | string,
  metadata?: object,
): Promise<void> {
  return tried(() => kv.put(key, value, metadata && { metadata }), sameKeyPauseMilliseconds);
}

/** How long a location may cache what never changes. After a day, the sweep may delete it. */
const blockCacheSeconds = 24 * 60 * 60;

/** The value of a key that is written only once; null if there is none. */
export function getConstant(kv: KVNamespace, key: string): Promise<ArrayBuffer | null> {
  return kv.get(key, { type: 'arrayBuffer', cacheTtl: blockCacheSeconds });
}

/** Tries up to three times. Only for work that may be done twice: a put that fails may still have been done. */
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
