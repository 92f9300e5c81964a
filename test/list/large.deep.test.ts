import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/base/database/open.ts';
import { listNames, listsShowing } from '../../src/list/lists.ts';
import { publish } from '../../src/list/publish/publish.ts';
import { findNames } from '../../src/list/read/look-up.ts';
import { counted } from '../support/counted.ts';
import { startWorker } from '../support/worker.ts';
import { published, withMethods } from './published.ts';
import { newReader } from './reader.ts';

const worker = startWorker();
const retainedLists = listsShowing(['reserved', 'blocked', 'disputed']);
const publishRetained = () =>
  publish({ db: worker.db, kv: worker.env.LISTS, clock }, retainedLists);
const clock = () => new Date('2026-05-05T12:00:00Z');
const names = 50_000;

/** Every fifth name is blocked, every other one reserved; every hundredth is in dispute as well. */
beforeAll(async () => {
  const { DB } = worker.env;
  for (let from = 0; from < names; from += 10_000) {
    const part = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => from + index));
    await DB.batch([
      DB.prepare(
        `insert into retained_domains (name, punycode, status, created_at) select printf('name%06d.ee', value), printf('name%06d.ee', value),
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
      if (!query.includes('name >= ?')) return statement;
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
  await publish({ db, kv: worker.env.LISTS, clock }, retainedLists);

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
  await publish({ db: worker.db, kv: worker.env.LISTS, clock }, retainedLists);
  await worker.env.DB.prepare("delete from retained_domains where name = 'name000001.ee'").run();
  const { db } = pagedDatabase((page) => {
    if (page === 3) throw new Error('D1_ERROR: Network connection lost.');
  });
  await expect(
    publish({ db, kv: worker.env.LISTS, clock }, retainedLists, {
      isForced: true,
    }),
  ).rejects.toThrow();
  expect((await published(worker.env, 'all')).body.count).toBe(50_500);
});

test('publishes one added name by its blocks alone, whatever else the lists hold', async () => {
  await publishRetained();
  const puts: string[] = [];
  const { env, counts } = counted(worker.env);
  const kv = withMethods(env.LISTS, {
    put: (key: string, value: ArrayBuffer, options: KVNamespacePutOptions) => {
      puts.push(key.split('/')[0]!);
      return env.LISTS.put(key, value, options);
    },
  });
  const name = 'name025000x.ee';
  await worker.env.DB.prepare(
    "insert into retained_domains (name, punycode, status, created_at) values (?1, ?1, 'reserved', '')",
  )
    .bind(name)
    .run();

  await publish({ db: openDatabase(env.DB), kv, clock }, retainedLists);

  // Of each of two lists a block, the changes and the head; a block more where the name divides one.
  expect(puts.filter((kind) => kind === 'list')).toHaveLength(2);
  expect(puts.length).toBeLessThanOrEqual(8);
  expect(counts.rowsRead).toBeLessThanOrEqual(100);
  // The blocks and the changes before.
  expect(counts.kvReads).toBeLessThanOrEqual(8);
  expect((await published(worker.env, 'all')).metadata).toMatchObject({ added: 1, removed: 0 });
});

test('finds names by no more blocks than they lie in', async () => {
  await publish({ db: worker.db, kv: worker.env.LISTS, clock }, listNames);
  const { env, counts } = counted(worker.env);
  const { head } = await published(worker.env, 'all');
  const { reader } = newReader(env, clock);
  const names = Array.from(
    { length: 500 },
    (_, index) => `name${String(index * 100).padStart(6, '0')}.ee`,
  );

  const found = await findNames(names, reader);

  expect(found.every(({ statuses }) => statuses.join() === 'blocked,disputed')).toBe(true);
  // Two heads and the blocks; the list of auctions has none.
  expect(counts.kvReads).toBe(2 + head!.blocks.length);
  // A look-up of so many blocks keeps none of them, and that of one name keeps its block.
  for (let again = 0; again < 2; again++) await findNames(['name000001.ee'], reader);
  expect(counts.kvReads).toBe(3 + head!.blocks.length);
  expect(counts.d1RoundTrips).toBe(0);
});
