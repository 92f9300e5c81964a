import { eq, inArray } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { history, listSources } from '../../../drizzle/schema.ts';
import { everyRow } from '../../../src/base/database/every-row.ts';
import { removeRetainedDomains } from '../../../src/name/retained/change-names.ts';
import type { RetainedDomain, RetainedStatus } from '../../../src/name/retained/list.ts';
import { addRetainedDomains } from '../../../src/name/retained/operator/change-names.ts';
import {
  findRetainedDomains,
  listRetainedDomains,
} from '../../../src/name/retained/operator/list.ts';
import { endReservations } from '../../../src/name/retained/save.ts';
import { unique } from '../../support/fixtures.ts';
import { shareEmptyWorker } from '../../support/worker.ts';
import { named, retainedHistory } from './records.ts';

const worker = shareEmptyWorker();

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
    expect(await addRetainedDomains(worker.operation, [one])).toEqual({ added: 1, updated: 0 });
    expect(await addRetainedDomains(worker.operation, [one, other, other])).toEqual({
      added: 1,
      updated: 0,
    });
    expect(await findRetainedDomains(worker.db, [one, other])).toEqual([one, other]);
    expect(await historyOf(one, other)).toEqual([
      { key: one.name, action: 'create', changes: { status: { from: null, to: 'reserved' } } },
      { key: other.name, action: 'create', changes: { status: { from: null, to: 'blocked' } } },
    ]);
  });

  it('adds 30,000 names in one step, and removes them in one', async () => {
    const names = Array.from({ length: 30_000 }, () => newName('blocked'));
    const before = await sourceVersion();
    expect(await addRetainedDomains(worker.operation, names)).toMatchObject({ added: 30_000 });
    expect(await sourceVersion()).not.toBe(before);
    expect(await removeRetainedDomains(worker.operation, names)).toEqual({ removed: 30_000 });
    expect(await findRetainedDomains(worker.db, names)).toEqual([]);
  });
});

const owned = () => ({ ...newName('reserved'), password: 'omanik', lastDay: '2027-01-31' });
const dryRun = { isDryRun: true };

it('the password and the last day of a reserved name come and go with it, and the history has no password', async () => {
  const name = owned();
  await addRetainedDomains(worker.operation, [name]);
  expect(await findRetainedDomains(worker.db, [name])).toEqual([name]);
  await removeRetainedDomains(worker.operation, [name]);
  const password = { redacted: true };
  expect(await historyOf(name)).toEqual([
    {
      key: name.name,
      action: 'create',
      changes: {
        status: { from: null, to: 'reserved' },
        password,
        lastDay: { from: null, to: '2027-01-31' },
      },
    },
    {
      key: name.name,
      action: 'delete',
      changes: {
        status: { from: 'reserved', to: null },
        password,
        lastDay: { from: '2027-01-31', to: null },
        createdAt: { from: worker.operation.origin.request.at.toISOString(), to: null },
      },
    },
  ]);
});

it('the password and the last day of a reserved name replace those of a name that exists', async () => {
  const [one, other] = [owned(), owned()];
  await addRetainedDomains(worker.operation, [one, other]);
  const changed = [
    { ...one, password: 'uus' },
    { ...other, lastDay: '2028-01-31' },
  ];
  const counts = { added: 0, updated: 2 };
  expect(await addRetainedDomains({ ...worker.operation, ...dryRun }, changed)).toEqual(counts);
  expect(await addRetainedDomains(worker.operation, changed)).toEqual(counts);
  expect(await findRetainedDomains(worker.db, changed)).toEqual(changed);
  expect((await historyOf(one, other)).slice(2)).toEqual([
    { key: one.name, action: 'update', changes: { password: { redacted: true } } },
    {
      key: other.name,
      action: 'update',
      changes: { lastDay: { from: '2027-01-31', to: '2028-01-31' } },
    },
  ]);
});

it('the password and the last day of a reserved name stay where none are given', async () => {
  const name = owned();
  await addRetainedDomains(worker.operation, [name]);
  const bare = [named(name.name), named(name.name, 'blocked')];
  const counts = { added: 1, updated: 0 };
  expect(await addRetainedDomains({ ...worker.operation, ...dryRun }, bare)).toEqual(counts);
  expect(await addRetainedDomains(worker.operation, bare)).toEqual(counts);
  expect(await findRetainedDomains(worker.db, [name])).toEqual([name]);
});

it('the password and the last day of a reserved name give no list another version', async () => {
  const name = owned();
  await addRetainedDomains(worker.operation, [name]);
  const before = await worker.db.select().from(listSources);
  await addRetainedDomains(worker.operation, [{ ...name, lastDay: '2028-01-31' }]);
  expect(await worker.db.select().from(listSources)).toEqual(before);
});

describe('endReservations', () => {
  const at = (day: string) => ({
    at: new Date(`${day}T00:00:00Z`),
    requestId: crypto.randomUUID(),
  });

  it('removes a reserved name on the day after its last one', async () => {
    const ending = { ...newName('reserved'), lastDay: '2026-05-31' };
    const blocked = named(ending.name, 'blocked');
    const staying = [newName('reserved'), { ...newName('reserved'), lastDay: '2026-06-01' }];
    await addRetainedDomains(worker.operation, [ending, blocked, ...staying]);
    expect(await endReservations(worker.db, at('2026-05-31'))).toBe(0);
    expect(await endReservations(worker.db, at('2026-06-01'))).toBe(1);
    const left = await findRetainedDomains(worker.db, [ending, blocked, ...staying]);
    expect(new Set(left)).toEqual(new Set([blocked, ...staying]));
    const ofEnding = eq(history.subjectKey, ending.name);
    const entries = await worker.db.select().from(history).where(ofEnding);
    expect(entries.at(-1)).toMatchObject({
      ...{ action: 'delete', actorType: 'cron', actor: 'Scheduled run' },
      changes: { lastDay: { from: '2026-05-31', to: null } },
    });
  });

  it('goes on in the next run where there are too many for one', async () => {
    const names = Array.from({ length: 5 }, () => ({
      ...newName('reserved'),
      lastDay: '2025-12-31',
    }));
    await addRetainedDomains(worker.operation, names);
    const limits = { window: 2, windows: 2 };
    expect(await endReservations(worker.db, at('2026-01-01'), limits)).toBe(4);
    expect(await endReservations(worker.db, at('2026-01-01'), limits)).toBe(1);
  });
});

describe('removeRetainedDomains', () => {
  it('removes names with their history, and counts those that were there', async () => {
    const [one, other] = [newName('reserved'), newName('reserved')];
    const alsoBlocked = named(one.name, 'blocked');
    await addRetainedDomains(worker.operation, [one, alsoBlocked]);
    expect(await removeRetainedDomains(worker.operation, [one, other])).toEqual({ removed: 1 });
    expect(await findRetainedDomains(worker.db, [one, alsoBlocked])).toEqual([alsoBlocked]);
    expect((await historyOf(one, other)).at(-1)).toEqual({
      key: one.name,
      action: 'delete',
      changes: {
        status: { from: 'reserved', to: null },
        createdAt: { from: worker.operation.origin.request.at.toISOString(), to: null },
      },
    });
  });
});

describe('listRetainedDomains', () => {
  it('gives every name once, by name and status, page by page', async () => {
    const [first, second] = [named('aaa1.ee', 'reserved'), named('aaa2.ee', 'reserved')];
    const both = named(first.name, 'blocked');
    await addRetainedDomains(worker.operation, [second, first, both]);
    const listed = await Array.fromAsync(
      everyRow<RetainedDomain>((page) => listRetainedDomains(worker.db, { page }), 1),
    );
    expect(listed.slice(0, 3)).toEqual([both, first, second]);
  });
});
