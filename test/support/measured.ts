import type { Env } from '../../src/base/env.ts';
import worker from '../../src/index.ts';
import { Faults } from '../attack/faults.ts';

/** The bindings, for an isolate that remembers nothing, with a dataset that keeps its points. */
export function measured(
  { env: given }: { env: Env },
  { faults = new Faults(), write }: { faults?: Faults; write?: () => void } = {},
) {
  const points: AnalyticsEngineDataPoint[] = [];
  const METRICS = {
    writeDataPoint: write ?? ((point: AnalyticsEngineDataPoint) => void points.push(point)),
  };
  const env: Env = { ...faults.wrap(given), METRICS };
  return { env, points };
}

/** The Worker's answer from these bindings, once everything that it started has ended. */
export async function answerTo(env: Env, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'CF-Connecting-IP': '127.0.0.1', ...(init.headers as object) };
  const request = new Request(new URL(path, 'http://localhost'), { ...init, headers });
  const works: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => works.push(work) };
  const response = await worker.fetch(request as never, env, context as never);
  await response.arrayBuffer();
  await Promise.all(works);
  return response;
}
