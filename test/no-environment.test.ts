import { expect, test } from 'vitest';
import type { Env } from '../src/base/env.ts';
import worker from '../src/index.ts';
import { listNames, publicLists } from '../src/list/lists.ts';
import { readLocalConfig } from '../src/tool/wrangler-config.ts';

const binding = (name: string) =>
  new Proxy({}, { get: (_, property) => expect.unreachable(`${name}.${String(property)}`) });

/** What a deployment without `--env` gets: the settings of the top level, and bindings that fail the test if used. */
const deployed = (ENVIRONMENT?: string) => {
  const { ENVIRONMENT: _, ...vars } = readLocalConfig(undefined).vars;
  const names = ['DB', 'LISTS', 'ARCHIVE', 'METRICS', 'WEBHOOKS', 'ADDRESS_LIMITER'] as const;
  const bindings = Object.fromEntries(names.map((name) => [name, binding(name)]));
  return { ...vars, ...bindings, ...(ENVIRONMENT && { ENVIRONMENT }) } as unknown as Env;
};

const context = {} as ExecutionContext;
const noEnvironment =
  'This Worker belongs to no environment: deploy it with --env production or --env staging.\n';

const paths = [
  '/',
  '/et/?name=a.ee',
  '/health',
  '/api/v1/auctions',
  '/api/v1/retained_domains/a.ee',
  '/repp/v1/contacts',
  '/nowhere',
  ...listNames.map((list) => publicLists[list].path),
];

test.each(paths)('without an environment, %s answers 503 and reads nothing', async (path) => {
  for (const environment of [undefined, 'staging']) {
    const request = new Request(new URL(path, 'https://registry.example')) as never;
    const response = await worker.fetch(request, deployed(environment), context);

    expect(response.status).toBe(503);
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    expect(await response.text()).toBe(noEnvironment);
  }
});

test('without an environment, the cron does nothing, and the platform counts it as failed', () => {
  const run = { cron: '31 * * * *', scheduledTime: 0, noRetry() {} };
  expect(() => worker.scheduled(run as never, deployed(), context)).toThrow(noEnvironment);
});

test('without an environment, no message of the queue is consumed', () => {
  const batch = { queue: 'registry-edge-webhooks', messages: [] };
  expect(() => worker.queue(batch as never, deployed())).toThrow(noEnvironment);
});
