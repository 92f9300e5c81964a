import { inArray, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { auctions, history, historyPermits } from '../../drizzle/schema.ts';
import type { Database } from '../../src/base/database/open.ts';
import { type Pool, snapshotOf } from './random-changes.ts';

/** What the registry has of these keys, by the subject and the key. */
async function stateOf(db: Database, keys: Pick<Pool, 'codes' | 'names'>) {
  const state = await snapshotOf(db, keys);
  const names = keys.names.map(({ name }) => name);
  const sold = await db.select().from(auctions).where(inArray(auctions.name, names));
  for (const { name, uuid, ...rest } of sold) state.set(`auction ${name} ${uuid}`, rest);
  return state;
}

interface FollowedChange {
  id: number;
  subject: string;
  key: string;
}

/** How somebody follows the changes. */
export interface Pages {
  newest(): Promise<string>;
  /** The changes after this place; undefined if it is gone. */
  next(
    place: string,
    limit: number,
  ): Promise<{ changes: FollowedChange[]; after: string; more: boolean } | undefined>;
}

/** Somebody who has fetched everything, and reads again what has changed. */
export function newFollower(db: Database, pool: Pool, pages: Pages) {
  const keys = new Set([...pool.codes, ...pool.names.map(({ name }) => name)]);
  let place: string;
  let held = new Map<string, unknown>();
  let last = 0;
  const counts = { changes: 0, restarts: 0 };

  async function restart() {
    place = await pages.newest();
    held = await stateOf(db, pool);
    last = 0;
  }

  async function readAgain({ subject, key }: FollowedChange) {
    // Transfers make copies with codes of their own, and the cron ends the reservations of others.
    if (!keys.has(key)) return;
    const isAbout = (each: string) => `${each} `.startsWith(`${subject} ${key} `);
    for (const each of held.keys()) if (isAbout(each)) held.delete(each);
    const names = [{ name: key, punycode: key }];
    const read = await stateOf(db, { codes: [key], names });
    for (const [each, value] of read) if (isAbout(each)) held.set(each, value);
  }

  /** Takes one page, or begins again after a refusal; returns whether there is more. */
  async function follow(limit: number): Promise<boolean> {
    const page = await pages.next(place, limit);
    if (!page) {
      counts.restarts += 1;
      await restart();
      return true;
    }
    expect(page.changes.length).toBeLessThanOrEqual(limit);
    for (const change of page.changes) {
      expect(change.id).toBeGreaterThan(last);
      last = change.id;
      counts.changes += 1;
      await readAgain(change);
    }
    place = page.after;
    return page.more;
  }

  async function catchUp() {
    while (await follow(200));
    expect(Object.fromEntries(held)).toEqual(Object.fromEntries(await stateOf(db, pool)));
  }

  return { restart, follow, catchUp, counts };
}

/** Deletes the entries from before an instant but for the newest, as earlier builds did with those that they had archived. */
export async function deleteOldEntries(db: Database, before: string) {
  await db.batch([
    db.insert(historyPermits).values({ permission: 'archive', firstId: 1, lastId: 1_000_000 }),
    db
      .delete(history)
      .where(sql`occurred_at < ${before} and id < (select max(id) from ${history} as newest)`),
    db.delete(historyPermits),
  ]);
}
