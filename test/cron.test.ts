import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listCronRuns, runCron } from '../src/cron.ts';
import { Faults, overload } from './attack/faults.ts';
import { startWorker } from './worker.ts';

const worker = startWorker();

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  await worker.env.DB.prepare('delete from cron_runs').run();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const hourly = '31 * * * *';
const runs = () => listCronRuns(worker.db, 1_000);

it('records each run of the cron, the newest first', async () => {
  await worker.scheduled('1 0 * * *');
  await worker.scheduled(hourly);
  expect((await runs()).map(({ cron, failed }) => ({ cron, failed }))).toEqual([
    { cron: hourly, failed: [] },
    { cron: '1 0 * * *', failed: [] },
  ]);
});

it('records what failed, does the rest, and fails', async () => {
  const kvFails = new Faults(
    { message: 'KV failed', isDone: false },
    (_, called) => called === 'kv',
  );
  await worker.env.DB.prepare(
    `insert into idempotency_keys (caller, key, request_digest, created_at, outcome)
     values ('c', 'k', 'd', '2020-01-01T00:00:00.000Z', 'null')`,
  ).run();

  await expect(runCron(hourly, kvFails.wrap(worker.env), {})).rejects.toThrow(
    'scheduled work failed',
  );

  const [run] = await runs();
  expect(run?.failed).toEqual(['publish_lists', 'record_daily_counts']);
  const { results } = await worker.env.DB.prepare('select * from idempotency_keys').all();
  expect(results).toEqual([]);
});

it('fails when it cannot be recorded', async () => {
  const down = new Faults({ message: overload, isDone: false }, (_, called) => called === 'd1');
  await expect(runCron(hourly, down.wrap(worker.env), {})).rejects.toThrow('scheduled work failed');
  expect(await runs()).toEqual([]);
});

it('keeps the last 350 runs', async () => {
  await worker.env.DB.prepare(
    `insert into cron_runs (cron, started_at, took_ms, failed)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 400)
     select '${hourly}', '2026-01-01T00:00:00.000Z', 5, '[]' from numbers`,
  ).run();
  await runCron(hourly, worker.env, {});
  expect(await runs()).toHaveLength(350);
});
