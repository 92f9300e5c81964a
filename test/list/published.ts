import { gunzipSync } from 'node:zlib';
import type { Env } from '../../src/base/env.ts';
import { openBlock } from '../../src/list/format/block.ts';
import { decompressJson } from '../../src/list/format/gzip.ts';
import { type Head, type Published, wholeBody } from '../../src/list/format/head.ts';
import { blockKey, headKey } from '../../src/list/kv.ts';
import type { ListName } from '../../src/list/lists.ts';

/** The list in KV: its body as JSON, its head, and the head's metadata. Throws if a block is missing. */
export async function published(env: Env, list: ListName) {
  const { value, metadata } = await env.LISTS.getWithMetadata<Published>(
    headKey(list),
    'arrayBuffer',
  );
  if (!value) return { body: null, metadata, head: undefined };
  const head = decompressJson<Head>(value);
  const body = await wholeBody(head, async (block) => {
    const value = await env.LISTS.get(blockKey(list, block), 'arrayBuffer');
    if (!value) throw new Error(`${blockKey(list, block)} is missing`);
    return openBlock(value).data;
  });
  return { body: JSON.parse(gunzipSync(body).toString()), metadata, head };
}

/** The bindings of an object, some of its methods replaced. */
export function withMethods<Binding extends object>(
  binding: Binding,
  methods: Partial<Record<keyof Binding, unknown>>,
): Binding {
  // After each read a proxy asks its target for the property; a binding would have to ask another process.
  return new Proxy({} as Binding, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof Binding];
      const value = Reflect.get(binding, name);
      return typeof value === 'function' ? value.bind(binding) : value;
    },
  });
}
