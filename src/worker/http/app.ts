import { methodNotAllowed } from 'hono/method-not-allowed';
import { newMeter } from '../../base/database/meter.ts';
import { RegistryError } from '../../base/error.ts';
import { logUnexpected } from '../../base/log.ts';
import { currentTime } from '../../base/time/clock.ts';
import { feedPath, listPaths } from '../../list/lists.ts';
import { findRateLimits } from '../settings.ts';
import { auctionError, auctionRoutes } from './auction/auctions.ts';
import { health } from './health/health.ts';
import { identificationCallback } from './identity-service/callback.ts';
import { internalError } from './internal/answer.ts';
import { internal } from './internal/internal.ts';
import { listError } from './public/answer.ts';
import { listRoutes } from './public/lists.ts';
import { registrantError } from './registrant/answer.ts';
import { registrantContacts } from './registrant/contacts.ts';
import { personalExport, registrantDisclosures } from './registrant/personal-data.ts';
import { registrantAuth } from './registrant/token.ts';
import { registrarAccount } from './registrar/account.ts';
import { registrarError } from './registrar/answer.ts';
import { registrarContacts } from './registrar/contacts.ts';
import { type ErrorForm, fieldErrors, refusalOf, statuses } from './request/answer.ts';
import { bookmarkHeader } from './request/client-headers.ts';
import { type AppContext, newApp } from './request/context.ts';
import { nameIgnoredParameters } from './request/input.ts';
import { languages } from './request/language.ts';
import { logRequest } from './request/request-log.ts';
import { securityHeaders } from './request/security-headers.ts';
import { throttlePublic } from './request/throttle.ts';
import { pageError } from './site/error.tsx';
import { pages } from './site/pages.tsx';

/** The URL map. A trailing slash makes no difference. */
export const app = newApp();

app.use(async (c, next) => {
  const startedAtMilliseconds = Date.now();
  c.set('now', currentTime());
  c.set('meter', newMeter());
  c.set('requestId', crypto.randomUUID());
  await next();
  c.res.headers.set('X-Request-Id', c.var.requestId);
  // A 304 has no body to protect, and the client keeps the headers of its stored response.
  if (c.res.status !== 304) {
    for (const [name, value] of securityHeaders(c.env)) {
      // A page has a policy of its own.
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    const policy = findRateLimits(c.env);
    if (policy) c.res.headers.set('RateLimit-Policy', policy.header);
  }
  if (c.res.status < 400) nameIgnoredParameters(c);
  // A handler may have set these before its query refused the login.
  if (c.res.status === 401) {
    for (const name of [bookmarkHeader, 'Ignored-Fields']) c.res.headers.delete(name);
  }
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'private, no-store');
  logRequest(c, interfaceOf(c.req.path), startedAtMilliseconds);
});

/** Interfaces that count their callers' requests themselves. */
const withCallers = {
  '/repp/v1/contacts': registrarContacts,
  '/repp/v1/registrar': registrarAccount,
  '/api/v1/registrant/auth': registrantAuth,
  '/api/v1/registrant/contacts': registrantContacts,
  '/api/v1/registrant/disclosures': registrantDisclosures,
  '/api/v1/registrant/export': personalExport,
  '/api/v1/internal': internal,
};

const countedByCaller = new RegExp(
  `^(${[...Object.keys(withCallers), '/api/v1/auctions/[^/]+'].join('|')})(/|$)`,
);

app.use(async (c, next) => {
  if (!countedByCaller.test(c.req.path)) await throttlePublic(c);
  await next();
});

app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      c.header('Allow', methods.join(', '));
      return answer(new RegistryError('method_not_allowed', 'Method not allowed'), c);
    },
  }),
);

app.route('/', listRoutes);
app.route('/health', health);
app.route('/api/v1/auctions', auctionRoutes);
app.route('/eeid/webhooks/identification_requests', identificationCallback);
for (const [path, routes] of Object.entries(withCallers)) app.route(path, routes);
app.route('/', pages);

/** Each interface with the form of its errors. The first matching pattern decides. */
const interfaces: readonly [name: string, pattern: RegExp, errorForm: ErrorForm][] = [
  ['lists', new RegExp(`^((${listPaths.join('|')})(\\.csv)?|${feedPath})(/|$)`), listError],
  ['registrar', /^\/repp(\/|$)/, registrarError],
  ['registrant', /^\/api\/v1\/registrant(\/|$)/, registrantError],
  ['auction', /^\/api\/v1\/auctions(\/|$)/, auctionError],
  ['internal', /^\/api\/v1\/internal(\/|$)/, internalError],
  ['page', new RegExp(`^/($|(${languages.join('|')})(/|$))`), pageError],
  ['other', /^/, fieldErrors],
];

const interfaceAt = (path: string) => interfaces.find(([, pattern]) => pattern.test(path))!;

export const interfaceOf = (path: string) => interfaceAt(path)[0];

function answer(error: RegistryError, c: AppContext): Response {
  const [, , errorForm] = interfaceAt(c.req.path);
  return errorForm(error, c);
}

app.notFound((c) => answer(new RegistryError('unknown_route', 'Not found'), c));

app.onError((error, c) => {
  const refusal = refusalOf(error, c);
  if (refusal !== error || error.cause) logUnexpected(error, c.var.requestId);
  // Random, so that clients do not return together.
  if (statuses[refusal.reason] === 503)
    c.header('Retry-After', `${1 + Math.floor(Math.random() * 5)}`);
  // RFC 9110, section 15.5.16.
  if (refusal.reason === 'coded') c.header('Accept-Encoding', 'identity');
  return answer(refusal, c);
});
