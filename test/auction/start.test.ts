import { and, asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { auctions, history } from '../../drizzle/schema.ts';
import { getAuction, listAuctions } from '../../src/auction/read.ts';
import { importAuctions, startAuctions } from '../../src/auction/start.ts';
import { openDatabase } from '../../src/database/open.ts';
import { parseDomainName } from '../../src/domain/name.ts';
import type { Origin } from '../../src/history.ts';
import { addAuction, unique } from '../fixtures.ts';
import { startWorker } from '../worker.ts';

const worker = startWorker();
const origin: Origin = {
  actorType: 'operator',
  actor: 'Operator',
  at: new Date('2026-05-06T07:08:09.010Z'),
  requestId: 'start',
};

function database() {
  return openDatabase(worker.env.DB);
}

function newName() {
  return parseDomainName(`pürasid${unique()}.ee`);
}

function auctionsOf({ name }: { name: string }) {
  return database()
    .select()
    .from(auctions)
    .where(eq(auctions.name, name))
    .orderBy(asc(auctions.id));
}

function historyOf({ name }: { name: string }) {
  return database()
    .select()
    .from(history)
    .where(and(eq(history.subject, 'auction'), eq(history.subjectKey, name)));
}

describe('startAuctions', () => {
  it('starts an auction of each name, with its history', async () => {
    const name = newName();
    expect(await startAuctions(database(), origin, [name, newName(), name])).toBe(2);
    const [auction, ...others] = await auctionsOf(name);
    expect(others).toEqual([]);
    expect(auction).toEqual({
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      ...name,
      status: 'started',
      registrationCode: null,
      registrationDeadline: null,
      version: 1,
      createdAt: '2026-05-06T07:08:09.010Z',
      updatedAt: '2026-05-06T07:08:09.010Z',
    });
    expect(await historyOf(name)).toMatchObject([
      {
        occurredAt: '2026-05-06T07:08:09.010Z',
        subjectUuid: auction!.uuid,
        action: 'create',
        actorType: 'operator',
        actor: 'Operator',
        changes: {
          name: { from: null, to: name.name },
          punycode: { from: null, to: name.punycode },
          status: { from: null, to: 'started' },
        },
      },
    ]);
  });

  it('starts a name again once its auction is over', async () => {
    const name = newName();
    await addAuction(worker.env, { ...name, status: 'no_bids' });
    expect(await startAuctions(database(), origin, [name])).toBe(1);
  });

  it.each([false, true])(
    'names each name with an auction in progress and starts none (dry run: %s)',
    async (isDryRun) => {
      const [free, ...taken] = [newName(), newName(), newName()];
      await startAuctions(database(), origin, taken);
      await expect(
        startAuctions(database(), origin, [free, ...taken], isDryRun),
      ).rejects.toMatchObject({
        reason: 'taken',
        problems: taken.map(({ name }) => ({
          message: `"${name}" has an auction in progress already`,
          field: 'name',
        })),
      });
      expect(await auctionsOf(free)).toEqual([]);
      expect(await historyOf(free)).toEqual([]);
    },
  );

  it('starts one auction of a name that is started twice at once', async () => {
    const name = newName();
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => startAuctions(database(), origin, [name])),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await auctionsOf(name)).toHaveLength(1);
    expect(await historyOf(name)).toHaveLength(1);
  });

  it('counts in a dry run, and writes nothing', async () => {
    const name = newName();
    expect(await startAuctions(database(), origin, [name], true)).toBe(1);
    expect(await auctionsOf(name)).toEqual([]);
  });

  it('does nothing without names', async () => {
    expect(await startAuctions(database(), origin, [])).toBe(0);
  });
});

describe('importAuctions', () => {
  it('starts the names that have no auction in progress, and leaves the others', async () => {
    const [free, taken] = [newName(), newName()];
    await startAuctions(database(), origin, [taken]);
    expect(await importAuctions(database(), origin, [free, taken, free], true)).toBe(1);
    expect(await importAuctions(database(), origin, [free, taken, free])).toBe(1);
    expect(await importAuctions(database(), origin, [free, taken])).toBe(0);
    expect(await auctionsOf(taken)).toHaveLength(1);
    expect(await historyOf(taken)).toHaveLength(1);
    expect(await historyOf(free)).toHaveLength(1);
  });

  it('starts 10,000 names in one step', async () => {
    const names = Array.from({ length: 10_000 }, newName);
    expect(await importAuctions(database(), origin, names)).toBe(10_000);
    expect(await historyOf(names.at(-1)!)).toHaveLength(1);
  });
});

describe('listAuctions', () => {
  it('gives the auctions of a status, page by page', async () => {
    const [first, second] = [
      await addAuction(worker.env, { status: 'domain_not_registered' }),
      await addAuction(worker.env, { status: 'domain_not_registered' }),
    ];
    await addAuction(worker.env);
    const status = 'domain_not_registered';
    const page = await listAuctions(database(), { status, page: { limit: 1 } });
    expect(page).toEqual([first]);
    const after = page[0]!.id;
    expect(await listAuctions(database(), { status, page: { after, limit: 9 } })).toEqual([second]);
    expect(await listAuctions(database(), { page: { after: second.id, limit: 1 } })).toMatchObject([
      { status: 'started' },
    ]);
  });
});

it('finds an auction by its UUID in either case', async () => {
  const auction = await addAuction(worker.env);
  expect(await getAuction(database(), auction.uuid.toUpperCase())).toEqual(auction);
});
