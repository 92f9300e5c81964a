import type { Env } from '../../../src/base/env.ts';
import { MissingBlockError } from '../../../src/list/kv.ts';
import { withMethods } from '../published.ts';

/** KV as it is for a publisher that is killed before it puts the head. */
export function killedBeforeHead({ LISTS }: Env): KVNamespace {
  return withMethods(LISTS, {
    put: (key: string, ...rest: [never]) => {
      // No other error ends a publisher at once.
      if (key.startsWith('list/')) throw new MissingBlockError('killed');
      return LISTS.put(key, ...rest);
    },
  });
}
