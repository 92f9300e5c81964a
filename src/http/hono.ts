import { HonoBase } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';
import type { AppEnv } from './context.ts';

/**
 * An application with the router that `hono` chooses for these paths; `hono` itself brings two others as well, and tries
 * one of them first.
 */
export function newApp(): HonoBase<AppEnv> {
  return new HonoBase({ strict: false, router: new TrieRouter() });
}
