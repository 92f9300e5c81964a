import { gunzipSync } from 'node:zlib';
import type { Env } from '../../src/env.ts';
import type { ListName } from '../../src/public-list/lists.ts';
import type { Published } from '../../src/public-list/publish.ts';

/** What KV holds of a list: its body as JSON, and its metadata. */
export async function published(env: Env, list: ListName) {
  const { value, metadata } = await env.LISTS.getWithMetadata<Published>(list, 'arrayBuffer');
  return { body: value && JSON.parse(gunzipSync(value).toString()), metadata };
}

/** The bindings of an object, some of its methods replaced. */
export function withMethods<Binding extends object>(
  binding: Binding,
  methods: Partial<Record<keyof Binding, unknown>>,
): Binding {
  return new Proxy(binding, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof Binding];
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
