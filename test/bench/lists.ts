import { gzipSync } from 'node:zlib';
import { nameOf, seedRetainedNames } from '../support/seed.ts';
import { atLeast, type Figure } from './figure.ts';
import { compare, edgeHeaders } from './load.ts';
import { type Runtime, service, startRuntime } from './runtime.ts';

export const retainedDomains = '/repp/v1/retained_domains';

/** A list of 100,000 names against Workers that do next to nothing. */
export async function lists(): Promise<Figure[]> {
  const runtime = await startRuntime(['same-304', 'constant-304', 'constant-json', 'stored-bytes']);
  try {
    await seedRetainedNames(runtime.env, 100_000);
    await runtime.publish(service);
    await storeWhole(runtime);
    const known = { url: runtime.url(service, retainedDomains), status: 304 } as const;
    const revalidated = { ...known, headers: await knowing(runtime, service) };
    const whole = {
      url: runtime.url(service, retainedDomains),
      status: 200,
      isLarge: true,
    } as const;

    const name = runtime.url(service, `${retainedDomains}/${nameOf(0).punycode}`);
    await checkHeaders(revalidated.url, runtime.url('same-304'), revalidated.headers);
    await checkHeaders(name, runtime.url('constant-json'));
    const constant = (worker: string) => ({ ...revalidated, url: runtime.url(worker) });
    const [, same304] = await compare([constant('same-304'), revalidated]);
    const [, bare304] = await compare([constant('constant-304'), revalidated]);
    const [, bytes] = await compare([{ ...whole, url: runtime.url('stored-bytes') }, whole], {
      rate: 'bytesPerSecond',
    });
    const [, oneName] = await compare([
      { url: runtime.url('constant-json'), status: 200 },
      { url: name, status: 200 },
    ]);
    return [
      atLeast('304 of 100,000 names, requests/s', same304!, '× a constant 304, same headers', 0.92),
      atLeast('304 of 100,000 names, requests/s', bare304!, '× a constant 304, two headers', 0.8),
      atLeast('200 of 100,000 names, gzip, bytes/s', bytes!, '× the stored bytes', 0.85),
      atLeast('One name of 100,000, requests/s', oneName!, '× constant JSON, same headers', 0.6),
    ];
  } finally {
    await runtime.stop();
  }
}

/** Stores the whole list, compressed, for the Worker that returns stored bytes. */
async function storeWhole({ env, url }: Runtime): Promise<void> {
  const response = await fetch(url(service, retainedDomains), { headers: edgeHeaders });
  await env.LISTS.put('whole', gzipSync(await response.arrayBuffer()));
}

/** Makes sure that a constant answer goes on having the headers of the service's. */
async function checkHeaders(own: URL, constant: URL, headers?: Record<string, string>) {
  const namesOf = async (url: URL) => {
    const response = await fetch(url, { headers: { ...edgeHeaders, ...headers } });
    await response.arrayBuffer();
    return [...response.headers.keys()].sort().join(', ');
  };
  const [expected, found] = [await namesOf(own), await namesOf(constant)];
  if (found !== expected)
    throw new Error(`headers of ${own} are ${expected}, of ${constant} ${found}`);
}

/** The header of a client that has the list. */
export async function knowing(runtime: Runtime, worker: string): Promise<Record<string, string>> {
  const response = await fetch(runtime.url(worker, retainedDomains), { headers: edgeHeaders });
  const etag = response.headers.get('ETag');
  await response.body?.cancel();
  if (response.status !== 200 || etag === null) throw new Error(`${worker}: ${response.status}`);
  return { 'If-None-Match': etag };
}
