import { afterAll, beforeAll } from 'vitest';
import { createTestHarness } from 'wrangler';
import type { Env } from '../src/env.ts';

/**
 * The production build in the real runtime with D1 and KV of its own, for the tests of one file: started
 * before the first of them with the migrations applied, stopped after the last. The environment is local, with
 * the bindings of the named one where there is one.
 */
export function startWorker(vars: Record<string, string> = {}, environment?: 'production') {
  const configuration = { configPath: './wrangler.toml', vars };
  const harness = createTestHarness({
    workers: [environment ? { ...configuration, env: environment } : configuration],
  });
  const worker = {
    env: undefined as unknown as Env,
    url: undefined as unknown as URL,
    /** A request over HTTP, from 127.0.0.1 unless the test says otherwise. */
    fetch: (path: string, init?: RequestInit): Promise<Response> =>
      harness.fetch(path, init as never) as unknown as Promise<Response>,
    scheduled: (cron: string) => harness.getWorker().scheduled({ cron }),
    logs: () => harness.getLogs(),
  };
  beforeAll(async () => {
    const { url } = await harness.listen();
    worker.url = url;
    await harness.getWorker().applyD1Migrations('DB');
    worker.env = (await harness.getWorker().getEnv()) as Env;
  });
  afterAll(() => harness.close());
  return worker;
}
