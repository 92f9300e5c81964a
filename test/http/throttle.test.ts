import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import type { Env } from '../../src/env.ts';
import { app } from '../../src/http/app.ts';
import { addRegistrar, basic, bearer } from '../fixtures.ts';
import { startWorker } from '../worker.ts';

/** With the limits of a deployment: 10 failed logins a minute. */
const worker = startWorker({}, 'production');

/** Calls the app with real bindings, but for limiters that have had enough of these keys. */
function fetchExhausted(exhausted: keyof Env, path: string, headers: Record<string, string> = {}) {
  const limiter = { limit: async () => ({ success: false }) };
  return app.request(path, { headers }, { ...worker.env, [exhausted]: limiter });
}

const policy = '"caller";q=600;w=60, "address";q=1200;w=60, "failed-login";q=10;w=60';

describe('failed logins', () => {
  it('are throttled by address, while the right secret still gets in', async () => {
    const alpha = await addRegistrar(worker.env);
    const login = (authorization: string, address: string) =>
      worker.fetch('/repp/v1/contacts', {
        headers: { Authorization: authorization, 'CF-Connecting-IP': address },
      });
    const wrong = basic(alpha.apiUser.username, 'wrong');
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      statuses.push((await login(wrong, '192.0.2.1')).status);
    }

    const throttled = await login(wrong, '192.0.2.1');

    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect(throttled.status).toBe(429);
    expect(throttled.headers.get('Retry-After')).toBe('60');
    expect(throttled.headers.get('WWW-Authenticate')).toBeNull();
    expect(await throttled.json()).toEqual({
      code: 2502,
      message: 'Session limit exceeded; try again later',
      data: {},
      errors: [{ code: 2502, message: 'Session limit exceeded; try again later', field: null }],
    });
    expect((await login(wrong, '192.0.2.2')).status).toBe(401);
    expect((await login(alpha.authorization, '192.0.2.1')).status).toBe(200);
  });

  it('count for registrants too, in their form', async () => {
    const login = () =>
      worker.fetch('/api/v1/registrant/contacts', {
        headers: { Authorization: 'Bearer forged', 'CF-Connecting-IP': '192.0.2.3' },
      });
    for (let count = 0; count < 10; count++) await login();

    const throttled = await login();

    expect(throttled.status).toBe(429);
    expect(throttled.headers.get('Retry-After')).toBe('60');
    expect(await throttled.json()).toEqual({
      errors: { base: ['Too many requests, try again later'] },
    });
  });
});

describe('a limit that is exceeded', () => {
  it('stops an address at every interface that has callers', async () => {
    const headers = { 'CF-Connecting-IP': '127.0.0.1' };
    const paths = ['/repp/v1/contacts', '/api/v1/registrant/contacts', '/api/v1/auctions'];

    const answers = await Promise.all(
      paths.map((path) => fetchExhausted('ADDRESS_LIMITER', path, headers)),
    );

    expect(answers.map((answer) => answer.status)).toEqual([429, 429, 429]);
  });

  it('stops an API user', async () => {
    const alpha = await addRegistrar(worker.env);

    const response = await fetchExhausted('CALLER_LIMITER', '/repp/v1/contacts', {
      Authorization: alpha.authorization,
    });

    expect(response.status).toBe(429);
  });

  it('stops a registrant', async () => {
    const response = await fetchExhausted('CALLER_LIMITER', '/api/v1/registrant/contacts', {
      Authorization: await bearer(worker),
    });

    expect(response.status).toBe(429);
  });
});

describe('the policy', () => {
  it('is named in the answers of every interface that has callers', async () => {
    const answers = await Promise.all(
      ['/repp/v1/contacts', '/api/v1/registrant/contacts', '/api/v1/auctions'].map((path) =>
        worker.fetch(path),
      ),
    );

    expect(answers.map((answer) => answer.headers.get('RateLimit-Policy'))).toEqual([
      policy,
      policy,
      policy,
    ]);
  });

  it.each([undefined, 'production'])('says what the limiters do in environment %s', (env) => {
    const { ratelimits, vars } = unstable_readConfig({
      config: './wrangler.toml',
      ...(env ? { env } : {}),
    });
    const names = ['CALLER_LIMITER', 'ADDRESS_LIMITER', 'FAILED_LOGIN_LIMITER'];
    const said = [...String(vars.RATE_LIMIT_POLICY).matchAll(/q=(\d+);w=(\d+)/g)];

    const limits = names.map(
      (name) => ratelimits.find((limiter: { name: string }) => limiter.name === name)?.simple,
    );

    expect(
      said.map(([, limit, period]) => ({ limit: Number(limit), period: Number(period) })),
    ).toEqual(limits);
  });
});
