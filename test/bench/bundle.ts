import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { atMost, type Figure, stated } from './figure.ts';
import { median } from './load.ts';
import { cpuMilliseconds, workerdPid } from './process.ts';
import { build } from './runtime.ts';

const starts = 9;

/** The upload of a deployment, and the work of an isolate before it can answer. */
export async function bundle(): Promise<Figure[]> {
  const own = bundled('index.js');
  const empty = bundled('empty-hono.js', 'test/bench/workers/empty-hono.ts');
  const ratios: number[] = [];
  for (let count = 0; count < starts; count++) {
    const reference = await startMilliseconds(empty);
    ratios.push((await startMilliseconds(own)) / reference);
  }
  return [
    stated('Bundle, gzip', gzipSync(own).length / 1024, 'KiB'),
    atMost('Start-up CPU', median(ratios), '× an empty Hono Worker', 1.4),
  ];
}

function bundled(file: string, entry?: string): string {
  const directory = build(entry);
  const script = readFileSync(join(directory, file), 'utf8');
  rmSync(directory, { recursive: true });
  return script;
}

/**
 * An entry that loads the Worker as an isolate does, parsing it and running its global scope, and answers by itself: a
 * first request through the service's own middleware would be counted as its start.
 */
const entry = `
  import worker from './worker.js';
  export default { fetch: () => new Response(typeof worker.fetch) };`;

/** CPU time of the runtime from its start to an answer, with the Worker loaded. */
async function startMilliseconds(script: string): Promise<number> {
  const worker = {
    name: 'started',
    modules: [
      { type: 'ESModule' as const, path: 'entry.js', contents: entry },
      { type: 'ESModule' as const, path: 'worker.js', contents: script },
    ],
    modulesRoot: '/',
    compatibilityDate: '2026-11-01',
  };
  const unsafeDirectSockets = [{ host: '127.0.0.1', port: 0 }];
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [{ ...worker, unsafeDirectSockets }],
      handleStructuredLogs: () => {},
    }),
  );
  try {
    const url = await miniflare.unsafeGetDirectURL('started');
    const answer = await (await fetch(url)).text();
    if (answer !== 'function') throw new Error(`start: ${answer}`);
    return cpuMilliseconds(workerdPid());
  } finally {
    await miniflare.dispose();
  }
}
