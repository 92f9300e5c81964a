import { openDatabase } from '../base/database/open.ts';
import { type Env, isLocalEnvironment } from '../base/env.ts';
import { logUnexpected } from '../base/log.ts';
import { currentTime } from '../base/time/clock.ts';
import icon from '../worker/http/static/assets/favicon.svg';
import pageStyle from '../worker/http/static/assets/page.css';
import siteStyle from '../worker/http/static/assets/site.css';
import { emailOf } from './access.ts';
import script from './copy.js';
import deskStyle from './desk.css';
import { deskPages } from './desk.tsx';
import { readOnly, recordLooks } from './guard.ts';
import { deskHeaders } from './headers.ts';
import type { DeskPlace } from './page.tsx';

export interface DeskEnv extends Pick<Env, 'DB' | 'LISTS'> {
  DESK_ACCESS_AUD?: string;
  DESK_TITLE?: string;
}

const files = [
  ['/site.css', 'text/css', siteStyle],
  ['/page.css', 'text/css', pageStyle],
  ['/desk.css', 'text/css', deskStyle],
  ['/copy.js', 'text/javascript', script],
  ['/favicon.svg', 'image/svg+xml', icon],
] as const;

function placeOf(env: DeskEnv, email: string): DeskPlace {
  const { DESK_TITLE: title = 'registry', ...bindings } = env;
  const guarded = readOnly(bindings as unknown as Env);
  const db = openDatabase(guarded.DB);
  return {
    title: `${title}: ${email}, whose looks are recorded`,
    async open() {
      return {
        db,
        env: guarded,
        origin: {
          actor: { type: 'operator', name: email },
          request: { at: currentTime(), requestId: crypto.randomUUID() },
        },
        isDryRun: true,
        isDeployed: !isLocalEnvironment(guarded),
        service: { address: undefined },
      };
    },
    record: ({ origin }, looks) => recordLooks(guarded.DB, looks, email, origin.request.at),
    // Staff have no terminal.
    commandLine: undefined,
    log: (error) => logUnexpected(error, undefined),
  };
}

export default {
  async fetch(request, env, { access }) {
    const email = await emailOf(access, env.DESK_ACCESS_AUD);
    if (email === undefined) return new Response(null, { status: 404, headers: deskHeaders });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const headers = { ...deskHeaders, Allow: 'GET, HEAD' };
      return new Response('only for reading\n', { status: 405, headers });
    }
    const pages = deskPages(placeOf(env, email));
    for (const [path, type, text] of files) {
      pages.get(path, (c) => c.body(text, 200, { 'Content-Type': type }));
    }
    const response = await pages.fetch(request);
    for (const [name, value] of Object.entries(deskHeaders)) response.headers.set(name, value);
    return response;
  },
} satisfies ExportedHandler<DeskEnv>;
