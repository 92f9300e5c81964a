import { inArray } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { history, listSources } from '../../drizzle/schema.ts';
import { addRetainedDomains, removeRetainedDomains } from '../../src/retained-domain/change.ts';
import {
  findRetainedDomains,
  listRetainedDomains,
  type RetainedDomain,
  type RetainedStatus,
} from '../../src/retained-domain/list.ts';
import { operator, unique } from '../fixtures.ts';
import { startWorker } from '../worker.ts';
import { named, retainedHistory } from './records.ts';

const worker = startWorker();

function newName(status: RetainedStatus) {
  return named(`name${unique()}.ee`, status);
}

async function sourceVersion() {
  const [sources] = await worker.db.select().from(listSources);
  return sources!.blocked;
}

function historyOf(...domains: RetainedDomain[]) {
  const names = domains.map(({ name }) => name);
  return retainedHistory(worker.db, inArray(history.subjectKey, names));
}

describe('addRetainedDomains', () => {
  it('adds names with their history, and counts those that were not there', async () => {
    const [one, other] = [newName('reserved'), newName('blocked')];
    expect(await addRetainedDomains(worker.db, operator, [one])).toBe(1);
    expect(await addRetainedDomains(worker.db, operator, [one, other, other])).toBe(1);
    expect(await findRetainedDomains(worker.db, [one, other])).toEqual([one, other]);
    expect(await historyOf(one, other)).toEqual([
      { key: one.name, action: 'create', changes: { status: { from: null, to: 'reserved' } } },
      { key: other.name, action: 'create', changes: { status: { from: null, to: 'blocked' } } },
    ]);
  });

  it('takes a name with both statuses', async () => {
    const reserved = newName('reserved');
    const blocked = named(reserved.name, 'blocked');
    expect(await addRetainedDomains(worker.db, operator, [reserved, blocked])).toBe(2);
    expect(await findRetainedDomains(worker.db, [reserved, blocked])).toEqual([blocked, reserved]);
  });

  it('does nothing without names', async () => {
    expect(await addRetainedDomains(worker.db, operator, [])).toBe(0);
  });

  it('adds 30,000 names in one step, and removes them in one', async () => {
    const names = Array.from({ length: 30_000 }, () => newName('blocked'));
    const before = await sourceVersion();
    expect(await addRetainedDomains(worker.db, operator, names)).toBe(30_000);
    expect(await sourceVersion()).not.toBe(before);
    expect(await removeRetainedDomains(worker.db, operator, names)).toBe(30_000);
    expect(await findRetainedDomains(worker.db, names)).toEqual([]);
  });
});

describe('removeRetainedDomains', () => {
  it('removes names with their history, and counts those that were there', async () => {
    const [one, other] = [newName('reserved'), newName('reserved')];
    const alsoBlocked = named(one.name, 'blocked');
    await addRetainedDomains(worker.db, operator, [one, alsoBlocked]);
    expect(await removeRetainedDomains(worker.db, operator, [one, other])).toBe(1);
    expect(await findRetainedDomains(worker.db, [one, alsoBlocked])).toEqual([alsoBlocked]);
    expect((await historyOf(one, other)).at(-1)).toEqual({
      key: one.name,
      action: 'delete',
      changes: { status: { from: 'reserved', to: null } },
    });
  });
});

describe('listRetainedDomains', () => {
  it('gives every name once, by name and status, page by page', async () => {
    const [first, second] = [named('aaa1.ee', 'reserved'), named('aaa2.ee', 'reserved')];
    const both = named(first.name, 'blocked');
    await addRetainedDomains(worker.db, operator, [second, first, both]);
    const listed = await pages({ limit: 1 }, 3);
    expect(listed).toEqual([both, first, second]);
  });

  it('gives the names of one status', async () => {
    const [reserved, blocked] = [named('aab.ee', 'reserved'), named('aab.ee', 'blocked')];
    await addRetainedDomains(worker.db, operator, [reserved, blocked]);
    const listed = await listRetainedDomains(worker.db, {
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
    listed.push(...(await listRetainedDomains(worker.db, { page: { after, limit } })));
  }
  return listed;
}
