import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openDatabase } from '../../src/database/open.ts';
import type { Published } from '../../src/public-list/head.ts';
import { listNames } from '../../src/public-list/lists.ts';
import { publish } from '../../src/public-list/publish.ts';
import { counted } from '../counted.ts';
import { seedRetainedNames } from '../seed.ts';
import { atLeast, atMost, type Figure, stated } from './figure.ts';
import { knowing, retainedDomains } from './lists.ts';
import { compare } from './load.ts';
import { peakResidentBytes, resetPeakResidentBytes, workerdPid } from './process.ts';
import { type Runtime, startRuntime } from './runtime.ts';

const mebibyte = 1024 * 1024;
const sampleMilliseconds = 100;

/** Publishing a million names: what it takes, what it takes again, and what readers notice of it. */
export async function publishing(): Promise<Figure[]> {
  const runtime = await startRuntime([], ['small', 'large']);
  try {
    const env = runtime.envOf('large');
    await seedRetainedNames(runtime.envOf('small'), 100);
    await runtime.publish('small');
    await seedRetainedNames(env, 1_000_000);
    const peak = await peakMemory(runtime);
    const { keys } = await env.LISTS.list<Published>();
    const bytes = Math.max(...keys.map(({ metadata }) => metadata?.bytes ?? 0));
    const { env: counting, counts } = counted(env);
    await publish(openDatabase(counting.DB), counting.LISTS, listNames, () => new Date());
    const known = async (worker: string) =>
      ({
        url: runtime.url(worker, retainedDomains),
        headers: await knowing(runtime, worker),
        status: 304,
      }) as const;
    const [, growth] = await compare([await known('small'), await known('large')]);
    const of = 'Publishing 1,000,000 names';
    return [
      atMost(`${of}: memory held, heap and buffers`, peak.publisher / mebibyte, 'MiB', 96),
      stated(`${of}: growth of workerd with its database and KV`, peak.runtime / mebibyte, 'MiB'),
      atMost(`${of}: largest KV value`, bytes / mebibyte, 'MiB', 25),
      atMost('Publishing what has not changed: rows read', counts.rowsRead, '', 10),
      atMost('Publishing what has not changed: KV writes', counts.kvWrites, '', 0),
      atLeast('304 of 1,000,000 names, requests/s', growth!, '× of 100 names', 0.9),
    ];
  } finally {
    await runtime.stop();
  }
}

/**
 * Bytes. What the publisher holds is looked at in a V8 whose event loop turns meanwhile, which workerd's does not while
 * the database is in the same process: the same functions run here, on the database and KV of the runtime, and after a
 * collection the heap and the buffers are what they were before and what publishing holds. Of workerd itself the
 * kernel knows by how much its resident set grew at most.
 */
async function peakMemory(runtime: Runtime): Promise<{ publisher: number; runtime: number }> {
  const pid = workerdPid();
  const residentBefore = resetPeakResidentBytes(pid);
  await runtime.publish('large');
  const residentPeak = peakResidentBytes(pid);

  const { DB, LISTS } = runtime.envOf('large');
  await LISTS.delete('all');
  const before = liveBytes();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, liveBytes());
  }, sampleMilliseconds);
  await publish(openDatabase(DB), LISTS, listNames, () => new Date());
  clearInterval(sampler);
  return { publisher: peak - before, runtime: residentPeak - residentBefore };
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
