import type { Env } from './env.ts';
import { app } from './http/app.ts';

export default {
  fetch: app.fetch,
} satisfies ExportedHandler<Env>;
