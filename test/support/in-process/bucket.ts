import { createHash } from 'node:crypto';
import { laterTurn } from './later-turn.ts';
import { byBytes } from './namespace.ts';

interface Entry {
  value: Uint8Array<ArrayBuffer>;
  etag: string;
  uploaded: Date;
  httpMetadata: R2HTTPMetadata;
  customMetadata: Record<string, string>;
}

const maximumPage = 1000;

/** R2 in this process, as far as the archive uses it: whole objects, and writes that replace nothing. */
export function newBucket(): R2Bucket {
  const entries = new Map<string, Entry>();
  const head = (key: string) => {
    const entry = entries.get(key);
    return entry ? objectOf(key, entry) : null;
  };
  return {
    async head(key: string) {
      await laterTurn();
      return head(key);
    },
    async get(key: string) {
      await laterTurn();
      const entry = entries.get(key);
      if (!entry) return null;
      const body = new Response(entry.value.slice());
      return Object.assign(body, objectOf(key, entry));
    },
    async put(key: string, body: string | ArrayBuffer, options: R2PutOptions = {}) {
      const value = new Uint8Array(await new Response(body).arrayBuffer());
      await laterTurn();
      const { onlyIf, customMetadata = {}, httpMetadata = {} } = options;
      const { etagDoesNotMatch, ...others } = (onlyIf ?? {}) as R2Conditional;
      if (![undefined, '*'].includes(etagDoesNotMatch) || Object.keys(others).length > 0)
        throw new Error('this bucket knows no such condition');
      if (etagDoesNotMatch === '*' && entries.has(key)) return null;
      const etag = createHash('md5').update(value).digest('hex');
      const metadata = { httpMetadata: httpMetadata as R2HTTPMetadata, customMetadata };
      entries.set(key, { value, etag, uploaded: new Date(), ...metadata });
      return head(key);
    },
    async delete(keys: string | string[]) {
      await laterTurn();
      for (const key of [keys].flat()) entries.delete(key);
    },
    async list(options: R2ListOptions = {}) {
      await laterTurn();
      const { prefix = '', limit = maximumPage, startAfter = '', cursor, include = [] } = options;
      const isOnPage = (key: string) => key.startsWith(prefix) && key > (cursor ?? startAfter);
      const keys = [...entries.keys()].filter(isOnPage).sort(byBytes);
      const objects = keys.slice(0, limit).map((key) => {
        const { httpMetadata, customMetadata, ...entry } = entries.get(key)!;
        return objectOf(key, {
          ...entry,
          httpMetadata: include.includes('httpMetadata') ? httpMetadata : {},
          customMetadata: include.includes('customMetadata') ? customMetadata : {},
        });
      });
      const rest = keys.length > objects.length && { cursor: objects.at(-1)!.key };
      return { objects, truncated: Boolean(rest), ...rest, delimitedPrefixes: [] };
    },
  } as unknown as R2Bucket;
}

function objectOf(key: string, { value, ...entry }: Entry) {
  return { key, size: value.length, httpEtag: `"${entry.etag}"`, ...structuredClone(entry) };
}
