import { laterTurn } from './later-turn.ts';

interface Entry {
  value: Uint8Array<ArrayBuffer>;
  metadata: unknown;
  /** In seconds; undefined if it is kept. */
  expiration: number | undefined;
}

type GetOptions = string | { type?: string; cacheTtl?: number } | undefined;

/** https://developers.cloudflare.com/kv/platform/limits/ */
const maximum = { key: 512, metadata: 1024, value: 25 * 1024 * 1024, page: 1000 };
const minimum = { cacheTtl: 30, expirationTtl: 60 };

/** Workers KV in this process. Every location sees a write at once. */
export function newNamespace(): KVNamespace {
  const entries = new Map<string, Entry>();
  const now = () => Math.floor(Date.now() / 1000);
  const find = (key: string) => {
    const entry = entries.get(key);
    if (entry?.expiration === undefined || entry.expiration > now()) return entry;
    entries.delete(key);
    return undefined;
  };

  async function getWithMetadata(key: string, options: GetOptions) {
    const { type = 'text', cacheTtl } = typeof options === 'object' ? options : { type: options };
    await laterTurn();
    checkKey('GET', key);
    if (cacheTtl !== undefined && !(cacheTtl >= minimum.cacheTtl))
      refuse('GET', 400, `Invalid cache_ttl of ${cacheTtl}.`);
    const entry = find(key);
    const value = entry ? await as(type, entry.value) : null;
    return { value, metadata: entry?.metadata ?? null, cacheStatus: null };
  }

  return {
    getWithMetadata,
    get: async (key: string, options: GetOptions) => (await getWithMetadata(key, options)).value,
    async put(key: string, value: BodyInit, options: KVNamespacePutOptions = {}) {
      const bytes = new Uint8Array(await new Response(value).arrayBuffer());
      const metadata = JSON.stringify(options.metadata ?? null);
      await laterTurn();
      checkKey('PUT', key);
      if (bytes.length > maximum.value)
        refuse('PUT', 413, `Value length of ${bytes.length} exceeds limit of ${maximum.value}.`);
      if (Buffer.byteLength(metadata) > maximum.metadata)
        refuse('PUT', 413, `Metadata length of ${metadata.length} exceeds limit of 1024.`);
      const { expirationTtl: ttl, expiration = ttl && now() + ttl } = options;
      if (expiration !== undefined && !(expiration - now() >= minimum.expirationTtl))
        refuse('PUT', 400, `Invalid expiration_ttl of ${ttl}.`);
      entries.set(key, { value: bytes, metadata: JSON.parse(metadata), expiration });
    },
    async delete(key: string) {
      await laterTurn();
      checkKey('DELETE', key);
      entries.delete(key);
    },
    async list({ prefix = '', limit = maximum.page, cursor }: KVNamespaceListOptions = {}) {
      await laterTurn();
      if (!(limit >= 1 && limit <= maximum.page)) refuse('GET', 400, `Invalid limit of ${limit}.`);
      const isOnPage = (key: string) => key.startsWith(prefix ?? '') && key > (cursor ?? '');
      const names = [...entries.keys()].filter((key) => isOnPage(key) && find(key)).sort(byBytes);
      const keys = names.slice(0, limit).map((name) => {
        const { metadata, expiration } = entries.get(name)!;
        return { name, ...(expiration && { expiration }), ...(metadata !== null && { metadata }) };
      });
      const rest = names.length > keys.length && { cursor: keys.at(-1)!.name };
      return { keys, list_complete: !rest, ...rest, cacheStatus: null };
    },
  } as unknown as KVNamespace;
}

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function checkKey(method: string, key: string): void {
  if (key === '' || key === '.' || key === '..') throw new TypeError('Illegal key name');
  if (Buffer.byteLength(key) > maximum.key)
    refuse(method, 414, `UTF-8 encoded length of key exceeds key length limit of ${maximum.key}.`);
}

function refuse(method: string, status: number, reason: string): never {
  throw new Error(`KV ${method} failed: ${status} ${reason}`);
}

async function as(type: string, value: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const response = new Response(value.slice());
  if (type === 'text') return response.text();
  if (type === 'json') return response.json();
  return type === 'stream' ? response.body : response.arrayBuffer();
}
