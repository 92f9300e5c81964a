import { and, asc, eq, inArray } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { history, listSources } from '../../drizzle/schema.ts';
import { openDatabase } from '../../src/database.ts';
import type { Origin } from '../../src/history.ts';
import { addRetainedDomains, removeRetainedDomains } from '../../src/retained-domain/change.ts';
import {
  findRetainedDomains,
  listRetainedDomains,
  type RetainedDomain,
  type RetainedStatus,
} from '../../src/retained-domain/list.ts';
import { unique } from '../fixtures.ts';
import { startWorker } from '../worker.ts';

const worker = startWorker();
const origin: Origin = {
  actorType: 'operator',
  actor: 'Operator',
  at: new Date('2026-05-06T07:08:09.010Z'),
};

function named(status: RetainedStatus, name = `name${unique()}.ee`): RetainedDomain {
  return { name, punycode: name, status };
}

function database() {
  return openDatabase(worker.env.DB);
}

async function sourceVersion() {
  const [sources] = await database().select().from(listSources);
  return sources!.blocked;
}

function historyOf(...names: RetainedDomain[]) {
  return database()
    .select({ key: history.subjectKey, action: history.action, changes: history.changes })
    .from(history)
    .where(
      and(
        eq(history.subject, 'retained_domain'),
        inArray(
          history.subjectKey,
          names.map(({ name }) => name),
        ),
      ),
    )
    .orderBy(asc(history.id));
}

describe('addRetainedDomains', () => {
  it('adds names with their history, and counts those that were not there', async () => {
    const [one, other] = [named('reserved'), named('blocked')];
    expect(await addRetainedDomains(database(), origin, [one])).toBe(1);
    expect(await addRetainedDomains(database(), origin, [one, other, other])).toBe(1);
    expect(await findRetainedDomains(database(), [one, other])).toEqual([one, other]);
    expect(await historyOf(one, other)).toEqual([
      { key: one.name, action: 'create', changes: { status: { from: null, to: 'reserved' } } },
      { key: other.name, action: 'create', changes: { status: { from: null, to: 'blocked' } } },
    ]);
  });

  it('takes a name with both statuses', async () => {
    const reserved = named('reserved');
    const blocked = named('blocked', reserved.name);
    expect(await addRetainedDomains(database(), origin, [reserved, blocked])).toBe(2);
    expect(await findRetainedDomains(database(), [reserved, blocked])).toEqual([blocked, reserved]);
  });

  it('does nothing without names', async () => {
    expect(await addRetainedDomains(database(), origin, [])).toBe(0);
  });

  it('adds 30,000 names in one step, and removes them in one', async () => {
    const names = Array.from({ length: 30_000 }, () => named('blocked'));
    const before = await sourceVersion();
    expect(await addRetainedDomains(database(), origin, names)).toBe(30_000);
    expect(await sourceVersion()).toBe(before + 30_000);
    expect(await removeRetainedDomains(database(), origin, names)).toBe(30_000);
    expect(await findRetainedDomains(database(), names)).toEqual([]);
  });
});

describe('removeRetainedDomains', () => {
  it('removes names with their history, and counts those that were there', async () => {
    const [one, other] = [named('reserved'), named('reserved')];
    const alsoBlocked = named('blocked', one.name);
    await addRetainedDomains(database(), origin, [one, alsoBlocked]);
    expect(await removeRetainedDomains(database(), origin, [one, other])).toBe(1);
    expect(await findRetainedDomains(database(), [one, alsoBlocked])).toEqual([alsoBlocked]);
    expect((await historyOf(one, other)).at(-1)).toEqual({
      key: one.name,
      action: 'delete',
      changes: { status: { from: 'reserved', to: null } },
    });
  });
});

describe('listRetainedDomains', () => {
  it('gives every name once, by name and status, page by page', async () => {
    const [first, second] = [named('reserved', 'aaa1.ee'), named('reserved', 'aaa2.ee')];
    const both = named('blocked', first.name);
    await addRetainedDomains(database(), origin, [second, first, both]);
    const listed = await pages({ limit: 1 }, 3);
    expect(listed).toEqual([both, first, second]);
  });

  it('gives the names of one status', async () => {
    const [reserved, blocked] = [named('reserved', 'aab.ee'), named('blocked', 'aab.ee')];
    await addRetainedDomains(database(), origin, [reserved, blocked]);
    const listed = await listRetainedDomains(database(), {
      status: 'reserved',
      page: { after: { name: 'aab.ee', status: 'blocked' }, limit: 1 },
    });
    expect(listed).toEqual([reserved]);
  });
});

async function pages({ limit }: { limit: number }, count: number) {
  const listed: RetainedDomain[] = [];
  for (let page = 0; page < count; page++) {
    const after = listed.at(-1);
    listed.push(...(await listRetainedDomains(database(), { page: { after, limit } })));
  }
  return listed;
}
