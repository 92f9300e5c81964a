import type { Env } from '../../../src/base/env.ts';
import worker from '../../../src/index.ts';
import { blockSizes } from '../../../src/list/format/split.ts';

/** The operations of the last run of the cron, by binding and method. */
let operations: Record<string, number> = {};

function counted<Binding extends object>(name: string, binding: Binding): Binding {
  return new Proxy(binding, {
    get(target, method) {
      const value = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const operation = `${name}.${String(method)}`;
        operations[operation] = (operations[operation] ?? 0) + 1;
        return value.apply(target, args);
      };
    },
  });
}

/** The Worker as it is deployed, but with lists of many blocks, whose cron counts what it asks of KV and R2. */
export default {
  fetch: (request, env, context) =>
    request.url.endsWith('/operations')
      ? Response.json(operations)
      : worker.fetch(request, env, context),
  scheduled(controller, env, context) {
    operations = {};
    Object.assign(blockSizes, JSON.parse(env.BLOCK_SIZES));
    const LISTS = counted('kv', env.LISTS);
    const ARCHIVE = counted('r2', env.ARCHIVE!);
    return worker.scheduled(controller, { ...env, LISTS, ARCHIVE }, context);
  },
} satisfies ExportedHandler<Env & { BLOCK_SIZES: string }>;
