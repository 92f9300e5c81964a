import type { Env } from '../../../src/base/env.ts';
import type { Bindings } from '../../../src/tool/bindings.ts';
import { readLimits, readLocalConfig } from '../../../src/tool/wrangler-config.ts';
import { lentBucket } from '../lent-bucket.ts';
import { newBucket } from './bucket.ts';
import { openDatabaseFile } from './database.ts';
import { laterTurn } from './later-turn.ts';
import { newNamespace } from './namespace.ts';

/** The bindings of an environment, on this database and with nothing in KV and R2. */
export function inProcessBindings(
  DB: D1Database,
  vars: Record<string, string>,
  environment: 'production' | undefined,
): Env {
  const { RATE_LIMIT_POLICY, ...limits } = readLimits(environment);
  const limiters = Object.entries(limits).map(([name, limit]) => [
    name,
    newLimiter((limit as { simple: Limit }).simple),
  ]);
  return {
    ...readLocalConfig(environment).vars,
    ...vars,
    ...Object.fromEntries(limiters),
    DB,
    LISTS: newNamespace(),
    ARCHIVE: lentBucket(newBucket()),
    VERSION: { id: crypto.randomUUID(), tag: '', timestamp: '' },
    // Nobody takes what is queued: tests of deliveries have a queue with a clock.
    WEBHOOKS: { send: laterTurn, sendBatch: laterTurn },
    ...(environment && { METRICS: { writeDataPoint() {} } }),
  };
}

/** Opens the local data in the directory, with nothing in KV and R2. */
export async function openInProcess(directory: string): Promise<Bindings> {
  const { DB, close } = openDatabaseFile(directory);
  return { env: inProcessBindings(DB, {}, undefined), dispose: async () => close() };
}

interface Limit {
  limit: number;
  period: number;
}

/** Counts in windows that begin with the clock's minute, or its ten seconds. */
function newLimiter({ limit, period }: Limit): RateLimit {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    async limit({ key, delta = 1 }: { key: string; delta?: number }) {
      await laterTurn();
      const current = Math.floor(Date.now() / 1000 / period);
      if (current !== window) counts.clear();
      window = current;
      const count = counts.get(key) ?? 0;
      if (count >= limit) return { success: false };
      counts.set(key, count + delta);
      return { success: true };
    },
  };
}
