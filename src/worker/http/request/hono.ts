import { HonoBase } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';
import type { AppEnv } from './context.ts';

/** Uses the router that `hono` would choose for these paths, without bundling its two others. */
export function newApp(): HonoBase<AppEnv> {
  return new HonoBase({ strict: false, router: new TrieRouter() });
}
