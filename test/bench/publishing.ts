import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../src/database.ts';
import { type Published, publish } from '../../src/public-list/publish.ts';
import { listNames } from '../../src/public-list/source.ts';
import { counted } from '../counted.ts';
import { seedRetainedNames } from '../seed.ts';
import { atLeast, atMost, type Figure, stated } from './figure.ts';
import { inspect } from './inspector.ts';
import { knowing, retainedDomains } from './lists.ts';
import { compare } from './load.ts';
import { residentBytes, workerdPid } from './process.ts';
import { type Runtime, startRuntime } from './runtime.ts';

const mebibyte = 1024 * 1024;
const sampleMilliseconds = 25;

/** Publishing a million names: what it takes, what it takes again, and what readers notice of it. */
export async function publishing(): Promise<Figure[]> {
  const runtime = await startRuntime([], ['small', 'large']);
  try {
    const env = runtime.envOf('large');
    await seedRetainedNames(runtime.envOf('small'), 100);
    await runtime.publish('small');
    await seedRetainedNames(env, 1_000_000);
    const { isolate, process } = await peakMemory(runtime);
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
      atMost(`${of}: peak memory of the isolate`, isolate / mebibyte, 'MiB', 96),
      stated(`${of}: growth of the whole runtime, database included`, process / mebibyte, 'MiB'),
      atMost(`${of}: largest KV value`, bytes / mebibyte, 'MiB', 25),
      atMost('Publishing what has not changed: rows read', counts.rowsRead, '', 10),
      atMost('Publishing what has not changed: KV writes', counts.kvWrites, '', 0),
      atLeast('304 of 1,000,000 names, requests/s', growth!, '× of 100 names', 0.9),
    ];
  } finally {
    await runtime.stop();
  }
}

/** Bytes: of the publishing isolate, and by how much the runtime's resident set grew. */
async function peakMemory(runtime: Runtime): Promise<{ isolate: number; process: number }> {
  const isolate = await inspect(runtime.inspector, 'large');
  const pid = workerdPid();
  const before = residentBytes(pid);
  const peak = { isolate: 0, process: 0 };
  let isPublished = false;
  const published = runtime.publish('large').finally(() => {
    isPublished = true;
  });
  while (!isPublished) {
    peak.isolate = Math.max(peak.isolate, await isolate.memoryBytes());
    peak.process = Math.max(peak.process, residentBytes(pid) - before);
    await setTimeout(sampleMilliseconds);
  }
  await published;
  isolate.close();
  return peak;
}
