import type { Env } from '../../base/env.ts';
import { setClockAhead } from '../../base/time/clock.ts';
import desk, { type DeskEnv } from '../../desk/worker.ts';
import { findClockAhead, frontHeader, openOverHttp } from '../../tool/local/http-bindings.ts';

interface LocalEnv extends DeskEnv {
  /** The address of the local Worker, which lends its data. */
  REGISTRY: string;
  TOOL_TOKEN: string;
  FRONT_TOKEN: string;
}

/** The desk on the data of the local Worker: two processes that write to one SQLite file disturb each other. */
export default {
  async fetch(request, env, context) {
    const { REGISTRY, TOOL_TOKEN, FRONT_TOKEN } = env;
    if (request.headers.get(frontHeader) !== FRONT_TOKEN) {
      return new Response('only through the address of npm start', { status: 403 });
    }
    setClockAhead((await findClockAhead(REGISTRY, TOOL_TOKEN)) ?? 0);
    const { DB, LISTS } = openOverHttp(REGISTRY, TOOL_TOKEN) as unknown as Env;
    return desk.fetch(request, { ...env, DB, LISTS }, context);
  },
} satisfies ExportedHandler<LocalEnv>;
