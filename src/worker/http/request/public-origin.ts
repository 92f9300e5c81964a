import { findPublicUrl } from '../../settings.ts';
import type { AppContext } from './context.ts';

/**
 * The registry's address in an answer that anybody may read: PUBLIC_URL, or the request's host without it. The platform's cache gives such an
 * answer under every host name of the Worker.
 */
export function publicOrigin({ env, req }: AppContext): string {
  return findPublicUrl(env.PUBLIC_URL) ?? new URL(req.url).origin;
}
