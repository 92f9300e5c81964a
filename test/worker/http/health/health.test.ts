import { globSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Env } from '../../../../src/base/env.ts';
import { dayOf } from '../../../../src/base/time/day.ts';
import { newestMigration } from '../../../../src/base/version.ts';
import { listNames } from '../../../../src/list/lists.ts';
import { publish } from '../../../../src/list/publish/publish.ts';
import { app } from '../../../../src/worker/http/app.ts';
import { Faults, overload } from '../../../attack/faults.ts';
import { withMethods } from '../../../list/published.ts';
import { answerOf } from '../../../support/client.ts';
import { counted } from '../../../support/counted.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addRegistrar,
  addRetainedDomain,
  emptyLists,
  send,
} from '../../../support/fixtures.ts';
import { answerHere, shareEmptyWorker } from '../../../support/worker.ts';

const worker = shareEmptyWorker();
const minute = 60_000;

beforeEach(() => emptyLists(worker.env));
afterEach(() => {
  vi.useRealTimers();
});

const publishAll = () =>
  publish({ db: worker.db, kv: worker.env.LISTS, clock: () => new Date() }, listNames);

/** The answer of `/health` in an isolate that has not been asked before, at a time. */
async function healthAt(time: number, env: Env = new Faults().wrap(worker.env)) {
  vi.useFakeTimers({ now: time, toFake: ['Date'] });
  const response = await answerHere('/health', {}, env);
  vi.useRealTimers();
  return { headers: response.headers, ...(await answerOf(response)) };
}

const healthOf = (env?: Env) => healthAt(Date.now(), env);

const failing = (binding: 'd1' | 'kv') =>
  new Faults({ message: overload, isDone: false }, (_, called) => called === binding).wrap(
    worker.env,
  );

const published = (count: number) => ({
  count,
  etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
  published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  is_behind: false,
});

it('GET /health says which version and which build run, and what is published of every list', async () => {
  await addRetainedDomain(worker.env, { status: 'reserved' });
  await publishAll();

  const { status, headers, body } = await healthOf();

  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(body).toEqual({
    status: 'ok',
    version: packageJson.version,
    build: worker.env.VERSION.id,
    database: { is_reachable: true },
    lists: {
      auctions: published(0),
      all: published(1),
      reserved: published(1),
      blocked: published(0),
      disputed: published(0),
    },
  });
});

it('GET /health fails while the database is unreachable, and still says what is published', async () => {
  await publishAll();

  const { status, headers, body } = await healthOf(failing('d1'));

  expect(status).toBe(503);
  expect(headers.get('Cache-Control')).toBe('private, no-store');
  expect(body).toMatchObject({
    status: 'failing',
    reason: 'The database is unreachable.',
    database: { is_reachable: false },
    lists: { auctions: { ...published(0), is_behind: null } },
  });
});

it('GET /health fails while KV is unreachable, and says what the database knows', async () => {
  await publishAll();

  const { status, body } = await healthOf(failing('kv'));

  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'failing',
    reason: 'The store of the public lists is unreachable.',
    database: { is_reachable: true },
    lists: { auctions: { ...published(0), is_behind: null } },
  });
});

const lacking =
  'The database lacks migrations: npm start applies them to a local one, npm run deploy to a deployed one.';

it('GET /health says how to migrate a database that is older than the build', async () => {
  expect(newestMigration).toBe(globSync('*.sql', { cwd: 'migrations' }).sort().at(-1));
  await publishAll();
  const { DB } = worker.env;
  const rename = (from: string, to: string) =>
    DB.prepare('update d1_migrations set name = ?2 where name = ?1').bind(from, to).run();
  await rename(newestMigration, 'later');
  onTestFinished(async () => void (await rename('later', newestMigration)));
  const failing = { status: 503, body: { reason: lacking, database: { is_reachable: true } } };
  expect(await healthOf()).toMatchObject(failing);

  const withoutTables = { prepare: () => DB.prepare('select 1 from d1_nothing') };
  const empty = { ...worker.env, DB: withMethods(DB, withoutTables) };
  expect(await healthOf(empty)).toMatchObject(failing);
});

it('a column that the database lacks is an error, never a value, and the log says how to migrate', async () => {
  const registrar = await addRegistrar(worker.env);
  const { code } = await addContact(worker.env, registrar);
  const { DB } = worker.env;
  const prepare = (sql: string) => DB.prepare(sql.replaceAll('legacy_id', 'not_yet'));
  const env = { ...worker.env, DB: withMethods(DB, { prepare }) };
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const { headers } = send('GET', registrar);
  const path = `/repp/v1/contacts/${encodeURIComponent(code)}`;
  const from = { ...headers, 'CF-Connecting-IP': '127.0.0.1' };
  expect((await app.request(path, { headers: from }, env)).status).toBe(500);
  expect(JSON.parse(logged.mock.calls[0]![0]).message).toMatch(
    `${lacking} D1_ERROR: no such column: not_yet`,
  );
});

it('GET /health fails after five seconds when neither of them answers', async () => {
  const never = () => new Promise(() => {});
  const statement = { bind: () => statement, all: never, raw: never, first: never, run: never };
  const env = {
    ...worker.env,
    DB: withMethods(worker.env.DB, { prepare: () => statement, batch: never }),
    LISTS: withMethods(worker.env.LISTS, { list: never }),
  };
  vi.useFakeTimers();
  const answer = answerHere('/health', {}, env);
  await vi.advanceTimersByTimeAsync(5_000);
  const response = await answer;
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ reason: 'The database is unreachable.' });
});

it('GET /health fails when a setting is missing, and names no setting', async () => {
  await publishAll();
  const { status, body } = await healthOf({ ...worker.env, REGISTRANT_TOKEN_KEYS: '' });
  expect(status).toBe(503);
  expect(body.reason).toBe('A setting is missing or malformed; the log says which.');
});

it('GET /health asks the database and KV once in five seconds', async () => {
  await publishAll();
  const { env, counts } = counted(worker.env);
  const now = Date.now();
  await healthAt(now, env);
  const first = { ...counts };
  expect(first).toMatchObject({ d1RoundTrips: 2, kvLists: 1 });
  await healthAt(now + 4_999, env);
  expect(counts).toEqual(first);
  await healthAt(now + 5_000, env);
  expect(counts).toMatchObject({ d1RoundTrips: 4, kvLists: 2 });
});

it('GET /health asks the database and KV once for simultaneous requests', async () => {
  await publishAll();
  const { env, counts } = counted(worker.env);
  const ask = () => answerHere('/health', {}, env);
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(counts).toMatchObject({ d1RoundTrips: 2, kvLists: 1 });
});

it('a list that is behind is reported at once, and fails the health after two minutes', async () => {
  await publishAll();
  await addAuction(worker.env);
  const now = Date.now();

  const soon = await healthAt(now + minute);
  const later = await healthAt(now + 2 * minute);

  expect(soon.status).toBe(200);
  expect(soon.body.lists.auctions.is_behind).toBe(true);
  expect(soon.body.lists.all.is_behind).toBe(false);
  expect(later.status).toBe(503);
  expect(later.body.status).toBe('failing');
  expect(later.body.reason).toMatch(
    /^The list auctions has been behind its source since \d{4}-\d\d-\d\dT[\d:.]+Z\.$/,
  );
});

it('a list that is behind is behind since the first change that it lacks, however many follow', async () => {
  await publishAll();
  await addRetainedDomain(worker.env, { status: 'blocked' });
  await worker.env.DB.prepare("update retained_changes set at = '2026-01-01T00:00:00.000Z'").run();
  await addRetainedDomain(worker.env, { status: 'blocked' });

  const { body } = await healthOf();

  expect(body.reason).toBe(
    'The list all has been behind its source since 2026-01-01T00:00:00.000Z.',
  );
});

it('a list that is behind is not late because of an older change that concerns other lists', async () => {
  await publishAll();
  await addRetainedDomain(worker.env, { status: 'blocked' });
  await worker.env.DB.prepare("update retained_changes set at = '2026-01-01T00:00:00.000Z'").run();
  await publishAll();
  await addRetainedDomain(worker.env, { status: 'reserved' });

  const { status, body } = await healthOf();

  expect(body.lists.reserved.is_behind).toBe(true);
  expect(status).toBe(200);
});

it('a list that is behind is not late at once because of a dispute that is opened on its first day', async () => {
  await publishAll();
  const tomorrow = Date.now() + 24 * 60 * minute;
  const [firstDay, createdAt] = [dayOf(new Date(tomorrow)), new Date(tomorrow).toISOString()];
  await addDispute(worker.env, { firstDay, lastDay: firstDay, createdAt });
  await worker.env.DB.prepare('update retained_changes set at = ?').bind(createdAt).run();

  const { status, body } = await healthAt(tomorrow + minute);

  expect(body.lists.disputed.is_behind).toBe(true);
  expect(status).toBe(200);
});

it('a list that is behind is behind since midnight when a dispute began with the day', async () => {
  const tomorrow = dayOf(new Date(Date.now() + 24 * 60 * minute));
  await addDispute(worker.env, { firstDay: tomorrow, lastDay: tomorrow });
  await publishAll();
  const midnight = Date.parse(`${tomorrow}T00:00:00.000Z`);

  const soon = await healthAt(midnight + minute);
  const later = await healthAt(midnight + 2 * minute);

  expect(soon.status).toBe(200);
  expect(soon.body.lists.disputed.is_behind).toBe(true);
  expect(later.body.reason).toBe(
    `The list all has been behind its source since ${tomorrow}T00:00:00.000Z.`,
  );
});

it('a list that is behind is behind since its publication when KV has lost it', async () => {
  await publishAll();
  await worker.env.LISTS.delete('list/auctions');
  const later = await healthAt(Date.now() + 2 * minute);
  expect(later.body.reason).toMatch(/^The list auctions has been behind/);
});
