import { asc } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { history } from '../../../drizzle/schema.ts';
import { RegistryError } from '../../../src/base/error.ts';
import {
  beginning,
  findNewestPlace,
  listChangesAfter,
} from '../../../src/change/history/follow.ts';
import { operator } from '../../support/fixtures.ts';
import { deleteOldEntries, newFollower, type Pages } from '../../support/following.ts';
import { everyCommand, type Numbers, newPool } from '../../support/random-changes.ts';
import { drawsMany, runs } from '../../support/run.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { copyRows, type Rows, replaceRows } from '../../tool/empty-again.ts';

const worker = shareEmptyWorker();

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;

/** Clocks differ, so entries are not in the order of their times. */
const instants = [1, 2, 3, 4].map((month) => new Date(Date.UTC(2026, month)).toISOString());

const idOf = (place: string) => Number.parseInt(place, 10);

const pages: Pages = {
  newest: () => findNewestPlace(worker.db),
  async next(place, limit) {
    try {
      const page = await listChangesAfter(worker.db, place, limit);
      expect(page.changes.every(({ id }) => id > idOf(place))).toBe(true);
      const changes = page.changes.map((each) => ({ ...each, key: each.subjectKey }));
      return { ...page, changes };
    } catch (error) {
      if (error instanceof RegistryError && error.reason === 'gone') return undefined;
      throw error;
    }
  },
};

type Write = readonly [command: string, numbers: Numbers, instant: string];
type Step =
  | { do: 'write'; writes: Write[]; alongside: boolean }
  | { do: 'follow' | 'delete' | 'copy' | 'restore'; n: number };

const write: fc.Arbitrary<Write> = fc.tuple(
  fc.constantFrom(...Object.keys(everyCommand)),
  fc.tuple(fc.nat(11), fc.nat(11), fc.nat(11)),
  fc.constantFrom(...instants),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 4 }),
      alongside: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('follow', 'follow', 'follow', 'delete', 'copy', 'restore'),
      n: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

test('whoever follows the changes ends with what the registry has, or is told to begin again', async () => {
  const { db, env } = worker;
  const counts = { changes: 0, restarts: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const pool = await newPool(env);
      const copies: Rows[] = [await copyRows(worker.env.DB)];
      const follower = newFollower(db, pool, pages);
      await follower.restart();
      for (const given of steps) {
        if (given.do === 'write') {
          const racing = given.writes.map(([name, numbers, instant]) => {
            const request = { at: new Date(instant), requestId: crypto.randomUUID() };
            return everyCommand[name]!(db, { actor: operator.actor, request }, pool, numbers);
          });
          const following = given.alongside ? follower.follow(2) : undefined;
          // Who loses a race is refused.
          await Promise.allSettled(racing);
          await following;
        }
        if (given.do === 'follow') await follower.follow(given.n);
        if (given.do === 'delete') await deleteOldEntries(db, at(instants, given.n));
        if (given.do === 'copy') copies.push(await copyRows(worker.env.DB));
        if (given.do === 'restore') {
          // What a follower reads is newer than its page: it must not be behind when the registry goes back.
          await follower.catchUp();
          await replaceRows(env.DB, at(copies, given.n));
        }
      }
      await follower.catchUp();
      counts.changes += follower.counts.changes;
      counts.restarts += follower.counts.restarts;
    }),
    { numRuns: runs(3, 60), endOnFailure: true },
  );
  expect(counts.changes).toBeGreaterThan(0);
  // So many histories have something of everything.
  if (!drawsMany) return;
  expect(counts.changes).toBeGreaterThan(20);
  expect(counts.restarts).toBeGreaterThan(1);
}, 600_000);

type Entry = typeof history.$inferInsert;

/** Entries of history, of contacts unless they say otherwise. */
async function addEntries(count: number, overrides: Partial<Entry> = {}) {
  const entry: Entry = {
    occurredAt: instants[0]!,
    subject: 'contact',
    subjectKey: 'A:1',
    action: 'update',
    actorType: 'operator',
    actor: 'Operator',
    changes: {},
    ...overrides,
  };
  for (let rest = count; rest > 0; rest -= 8) {
    await worker.db.insert(history).values(Array.from({ length: Math.min(rest, 8) }, () => entry));
  }
}

test('a page examines a thousand entries at most, so it may be empty while there is more', async () => {
  const place = await findNewestPlace(worker.db);
  await addEntries(1_001, { subject: 'api_user' });
  await addEntries(2);
  const first = await listChangesAfter(worker.db, place, 1);
  expect([first.changes, first.more, idOf(first.after) - idOf(place)]).toEqual([[], true, 1_000]);
  const second = await listChangesAfter(worker.db, first.after, 1);
  expect(second.changes.map(({ id }) => id - idOf(place))).toEqual([1_002]);
  expect([second.more, idOf(second.after) - idOf(place)]).toEqual([true, 1_002]);
  const third = await listChangesAfter(worker.db, second.after, 1);
  expect([third.changes.length, third.more]).toEqual([1, false]);
  const none = await listChangesAfter(worker.db, third.after, 1);
  expect(none).toEqual({ changes: [], after: third.after, more: false });
});

test('without a place, the changes are followed from the first, and only if that is still on record', async () => {
  const { db, env } = worker;
  const before = await copyRows(worker.env.DB);
  await replaceRows(
    env.DB,
    before.map(([name, rows]) => [name, name === 'history' ? [] : rows]),
  );
  expect(await findNewestPlace(db)).toEqual(beginning);
  const none = { changes: [], after: beginning, more: false };
  expect(await listChangesAfter(db, beginning, 200)).toEqual(none);
  await addEntries(3);
  const { changes } = await listChangesAfter(db, beginning, 200);
  expect(changes.map(({ id }) => id)).toEqual([1, 2, 3]);
  await deleteOldEntries(db, instants[1]!);
  const [only] = await db.select().from(history).orderBy(asc(history.id));
  expect(only!.id).toBe(3);
  await expect(listChangesAfter(db, beginning, 200)).rejects.toMatchObject({ reason: 'gone' });
  await replaceRows(env.DB, before);
});

test('a place is gone once a restored registry has something else under its id', async () => {
  const { db, env } = worker;
  const copy = await copyRows(worker.env.DB);
  await addEntries(1, { requestId: 'before' });
  const place = await findNewestPlace(db);
  await replaceRows(env.DB, copy);
  await expect(listChangesAfter(db, place, 200)).rejects.toMatchObject({ reason: 'gone' });
  await addEntries(2, { requestId: 'after' });
  await expect(listChangesAfter(db, place, 200)).rejects.toMatchObject({ reason: 'gone' });
});

test('a place is gone if more than a page is missing after it', async () => {
  await addEntries(1, { occurredAt: instants[3]! });
  const place = await findNewestPlace(worker.db);
  await addEntries(1_001);
  await addEntries(1, { occurredAt: instants[3]! });
  await deleteOldEntries(worker.db, instants[1]!);
  await expect(listChangesAfter(worker.db, place, 200)).rejects.toMatchObject({ reason: 'gone' });
});
