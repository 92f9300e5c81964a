import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { listsShowing } from '../../src/public-list/lists.ts';
import { publish } from '../../src/public-list/publish.ts';
import { startWorker } from '../worker.ts';
import { published, withMethods } from './published.ts';

const worker = startWorker();
const clock = () => new Date('2026-05-05T12:00:00Z');
const names = 50_000;

/** Every fifth name is blocked, every other one reserved; every hundredth is in dispute as well. */
beforeAll(async () => {
  const { DB } = worker.env;
  for (let from = 0; from < names; from += 10_000) {
    const part = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => from + index));
    await DB.batch([
      DB.prepare(
        `insert into retained_domains select printf('name%06d.ee', value), printf('name%06d.ee', value),
          iif(value % 5 = 0, 'blocked', 'reserved'), '' from json_each(?)`,
      ).bind(part),
      DB.prepare(
        `insert into disputes (name, punycode, first_day, last_day, created_at)
          select printf('name%06d.ee', value), printf('name%06d.ee', value), '2000-01-01', '2099-12-31', ''
          from json_each(?) where value % 100 = 0`,
      ).bind(part),
    ]);
  }
});

/** The database, told of the pages of names that are read: it counts their rows, and fails where it is told to. */
function pagedDatabase(onPage: (page: number) => void = () => {}) {
  const { DB } = worker.env;
  const rowsRead: number[] = [];
  const binding = withMethods(DB, {
    prepare: (query: string) => {
      const statement = DB.prepare(query);
      if (!query.includes('(name, status) >')) return statement;
      return withMethods(statement, {
        bind: (...values: unknown[]) =>
          withMethods(statement, {
            raw: async () => {
              onPage(rowsRead.length);
              const { results, meta } = await statement.bind(...values).all();
              rowsRead.push(meta.rows_read);
              return results.map((row) => Object.values(row));
            },
          }),
      });
    },
  });
  return { db: openDatabase(binding), rowsRead };
}

test('publishes 50,000 names in order, each row read once', async () => {
  const { db, rowsRead } = pagedDatabase();
  await publish(db, worker.env.LISTS, listsShowing(['reserved', 'blocked', 'disputed']), clock);

  const { body, metadata } = await published(worker.env, 'all');
  expect(metadata!.count).toBe(50_500);
  expect(body.count).toBe(50_500);
  expect(body.domains).toHaveLength(50_500);
  const keys = body.domains.map(
    (entry: { name: string; status: string }) => `${entry.name} ${entry.status}`,
  );
  expect(keys).toEqual([...keys].sort());
  expect((await published(worker.env, 'reserved')).body.count).toBe(40_000);
  expect((await published(worker.env, 'blocked')).body.count).toBe(10_000);
  expect((await published(worker.env, 'disputed')).body.count).toBe(500);

  const total = rowsRead.reduce((sum, rows) => sum + rows, 0);
  expect(total).toBeLessThanOrEqual(1.1 * 50_500);
});

test('keeps what was published where the database fails midway through the names', async () => {
  await publish(
    worker.db,
    worker.env.LISTS,
    listsShowing(['reserved', 'blocked', 'disputed']),
    clock,
  );
  await worker.env.DB.prepare("delete from retained_domains where name = 'name000001.ee'").run();
  const { db } = pagedDatabase((page) => {
    if (page === 3) throw new Error('D1_ERROR: Network connection lost.');
  });
  await expect(
    publish(db, worker.env.LISTS, listsShowing(['reserved', 'blocked', 'disputed']), clock, {
      isForced: true,
    }),
  ).rejects.toThrow();
  expect((await published(worker.env, 'all')).body.count).toBe(50_500);
});
