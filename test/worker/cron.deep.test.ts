import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { webhooks } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openLocalData } from '../../src/tool/local/open.ts';
import { listCronRuns } from '../../src/view/alarm.ts';
import { runCron } from '../../src/worker/cron.ts';
import { SteppedQueue } from '../party/webhook/stepped-queue.ts';
import { recorded } from '../previous-release/recorded.ts';
import { counted } from '../support/counted.ts';
import { addContact, addRegistrar } from '../support/fixtures.ts';
import { migrate } from '../support/local-data.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'registry-cron-'));
  await migrate(directory);
});
afterAll(() => rm(directory, { recursive: true }));

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();

/** Fills the file of the database itself: through D1, a million rows take minutes. */
function fill(registrarId: number): void {
  const folder = path.join(directory, 'v3/d1/miniflare-D1DatabaseObject');
  const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name))!;
  using database = new DatabaseSync(path.join(folder, file));
  const say = (count: number, statement: string, ...values: (string | number)[]) =>
    database
      .prepare(
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) ${statement}`,
      )
      .run(...values);
  database.exec('begin');
  say(
    100_000,
    `insert into notifications (id, registrar_id, event, text, subject_key, fields, created_at, read_at)
     select n, ?, 'contact.updated', 'Contact has been updated by registrant', 'R:' || n, '["email"]', ?, ?
     from numbers`,
    ...[registrarId, daysAgo(101), daysAgo(100)],
  );
  // A third is to be deleted, a third to be given up, and a third waits.
  say(
    100_000,
    `insert into webhook_deliveries (id, registrar_id, notification_id, created_at, waits_since, delivered_at)
     select 'msg_' || n, ?1, 100001 - n, created, iif(n % 3 = 2, ?4, created), iif(n % 3 = 0, created, null)
     from (select n, iif(n % 3 = 0, ?2, ?3) as created from numbers)`,
    ...[registrarId, daysAgo(40), daysAgo(8), daysAgo(1)],
  );
  say(
    1_000_000,
    `insert into history (occurred_at, subject, subject_key, subject_uuid, action, actor_type, actor, request_id, changes)
     select ?, 'contact', 'R:' || (n % 100000), n % 100000, 'update', 'operator', 'Operator', 'r' || n,
       '{"email":{"from":"a@example.ee","to":"b@example.ee"}}' from numbers`,
    daysAgo(60),
  );
  database.exec('commit');
}

/** The local runtime closes connections that wait while it is busy for seconds; D1 itself does not. */
async function again<Result>(ask: () => Promise<Result>): Promise<Result> {
  return ask().catch((error: Error) => {
    if (error.message !== 'fetch failed') throw error;
    return ask();
  });
}

function patient(db: D1Database): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      all: () => again(() => original.all()),
      run: () => again(() => original.run()),
      raw: () => again(() => original.raw()),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, original);
    return wrapped;
  };
  return {
    prepare: (query: string) => statement(db.prepare(query)),
    batch: (all: D1PreparedStatement[]) =>
      again(() => db.batch(all.map((each) => originals.get(each)!))),
  } as unknown as D1Database;
}

// D1 allows 1,000 queries in an invocation, 30 seconds for each, and 15 minutes for a run of the cron.
it('stays far below the platform’s limits with 10⁵ notifications, 10⁵ deliveries and 10⁶ entries of history', async () => {
  const opened = await openLocalData(directory);
  const registrar = await addRegistrar(opened.env);
  const db = openDatabase(opened.env.DB);
  for (let n = 0; n < 105; n++) await addContact(opened.env, registrar, { createdAt: daysAgo(90) });
  await db.insert(webhooks).values({
    ...{ registrarId: registrar.id, url: 'https://example.ee/', secret: 'whsec_' },
    createdAt: daysAgo(90),
  });
  await opened.dispose();
  fill(registrar.id);

  const local = await openLocalData(directory);
  const { env, counts } = counted({
    ...local.env,
    DB: patient(local.env.DB),
    ...{ ORPHAN_CONTACT_MONTHS: '1', HISTORY_VALUES_MONTHS: '1' },
    WEBHOOKS: new SteppedQueue(new Date()) as never,
  });
  let queries = 0;
  const recording = recorded(env, ({ statements }) => {
    queries += statements.length;
  });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await runCron('31 * * * *', recording, {});

  const [run] = await listCronRuns(openDatabase(local.env.DB), 1);
  await local.dispose();
  expect(run?.failed).toEqual([]);
  expect(queries).toBeLessThan(800);
  expect(counts.rowsRead).toBeLessThan(1_000_000);
  expect(counts.rowsWritten).toBeLessThan(500_000);
  expect(counts.kvReads + counts.kvWrites + counts.kvLists).toBeLessThan(500);
}, 600_000);
