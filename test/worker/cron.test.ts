import { eq, isNull } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  history,
  idempotencyKeys,
  notifications,
  replacedKeys,
  webhookDeliveries,
  webhooks,
} from '../../drizzle/schema.ts';
import { listCronRuns } from '../../src/view/alarm.ts';
import { runCron } from '../../src/worker/cron.ts';
import { Faults, overload } from '../attack/faults.ts';
import { published } from '../list/published.ts';
import { SteppedQueue } from '../party/webhook/stepped-queue.ts';
import { recorded } from '../previous-release/recorded.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addNotification,
  addRegistrar,
  addRetainedDomain,
} from '../support/fixtures.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

beforeEach(() => worker.env.DB.prepare('delete from cron_runs').run());
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
  expect(run?.failed.toSorted()).toEqual(['archive_lists', 'publish_lists', 'record_daily_counts']);
  const { results } = await worker.env.DB.prepare('select * from idempotency_keys').all();
  expect(results).toEqual([]);
});

it('fails when it cannot be recorded', async () => {
  const down = new Faults({ message: overload, isDone: false }, (_, called) => called === 'd1');
  await expect(runCron(hourly, down.wrap(worker.env), {})).rejects.toThrow('scheduled work failed');
  expect(await runs()).toEqual([]);
});

it('publishes the lists without the names whose last day is over', async () => {
  const { name } = await addRetainedDomain(worker.env, { lastDay: '2020-01-01' });
  const { name: kept } = await addRetainedDomain(worker.env, { lastDay: '2099-12-31' });
  await runCron(hourly, worker.env, {});
  const { body } = await published(worker.env, 'reserved');
  const names = JSON.stringify(body);
  expect(names).toContain(kept);
  expect(names).not.toContain(name);
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

/** As many rows as there are registrars, systems, lists or last runs; the window of a sweep, which is limited; and the rows of a write. */
const small = [
  'registrars',
  'systems',
  'webhooks',
  'list_sources',
  'list_publications',
  'entries',
  'recorded',
];

it('says nothing to the database that scans a table that grows', async () => {
  const queries = new Map<string, unknown[]>();
  const { env } = await busyRegistry();
  const recording = recorded(env, ({ statements }) => {
    for (const { sql, params } of statements) queries.set(sql, params);
  });
  await runCron(hourly, recording, {});
  const scans: string[] = [];
  for (const [query, params] of queries) {
    const { results } = await worker.env.DB.prepare(`explain query plan ${query}`)
      .bind(...params)
      .all<{ detail: string }>();
    for (const { detail } of results) {
      const [, scanned] = /^SCAN ((?!json_each |CONSTANT ROW$|\(subquery-)\S+)/.exec(detail) ?? [];
      if (scanned && !small.includes(scanned)) scans.push(`${scanned}: ${query}`);
    }
  }
  expect(scans).toEqual([]);
});

it('does nothing twice when two runs come at once', async () => {
  const { env, queue, registrar, orphan } = await busyRegistry();
  const logged = vi.spyOn(console, 'info').mockImplementation(() => {});
  await Promise.all([runCron(hourly, env, {}), runCron(hourly, env, {})]);

  expect((await runs()).map(({ failed }) => failed)).toEqual([[], [], []]);
  expect(queue.sent).toMatchObject([{ registrar: registrar.id }]);
  expect(await worker.db.$count(history, eq(history.subjectUuid, orphan.uuid))).toBe(1);
  const ofOrphan = eq(notifications.subjectKey, orphan.code);
  expect(await worker.db.$count(notifications, ofOrphan)).toBe(1);
  expect(await worker.db.$count(webhookDeliveries, isNull(webhookDeliveries.failedAt))).toBe(1);
  const removed = logged.mock.calls.filter(([line]) => line.includes('orphan_contacts_deleted'));
  expect(removed).toEqual([['{"level":"info","event":"orphan_contacts_deleted","contacts":1}']]);
  const gone = await worker.db.select().from(history).where(eq(history.subjectKey, 'GONE'));
  expect(gone.at(-1)?.changes).toEqual({ email: { removed: true } });
});

/** A registry in which every work of the cron finds something to do. */
async function busyRegistry() {
  const { DB } = worker.env;
  const emptied = ['webhook_deliveries', 'webhooks', 'notifications'];
  await DB.batch(emptied.map((table) => DB.prepare(`delete from ${table}`)));
  const queue = new SteppedQueue(new Date());
  const env = {
    ...worker.env,
    ORPHAN_CONTACT_MONTHS: '1',
    HISTORY_VALUES_MONTHS: '1',
    WEBHOOKS: queue as never,
  };
  await runCron(hourly, env, {});
  const old = '2020-01-01T00:00:00.000Z';
  const registrar = await addRegistrar(env);
  const orphan = await addContact(env, registrar, { createdAt: old });
  const { id: notificationId } = await addNotification(env, registrar, { readAt: old });
  const waiting = { id: 'msg_1', registrarId: registrar.id, notificationId };
  await worker.db.batch([
    worker.db.insert(webhooks).values({
      ...{ registrarId: registrar.id, url: 'https://example.ee/', secret: 'whsec_' },
      ...{ createdAt: old, failures: 1, failingSince: old },
    }),
    worker.db.insert(webhookDeliveries).values({ ...waiting, createdAt: old, waitsSince: old }),
    worker.db.insert(history).values({
      ...{ occurredAt: old, subject: 'contact', subjectKey: 'GONE', action: 'update' },
      ...{ actorType: 'operator', actor: 'Operator', requestId: 'r' },
      changes: { email: { from: 'a@example.ee', to: 'b@example.ee' } },
    }),
    worker.db.insert(idempotencyKeys).values({
      ...{ caller: 'c', key: 'k', requestDigest: 'd', createdAt: old, outcome: 'null' },
    }),
    worker.db.insert(replacedKeys).values({ publication: 'p', list: 'auctions', since: old }),
  ]);
  await addRetainedDomain(env);
  await addRetainedDomain(env, { lastDay: '2020-01-01' });
  await addDispute(env);
  await addAuction(env);
  return { env, queue, registrar, orphan };
}
