import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../src/change/origin.ts';
import { listAuctions } from '../../../src/name/auction/operator/list.ts';
import { startAuctions } from '../../../src/name/auction/operator/start.ts';
import { getAuction } from '../../../src/name/auction/read.ts';
import { parseDomainName } from '../../../src/name/domain/operator/name.ts';
import type { DomainName } from '../../../src/name/name.ts';
import {
  addAuction,
  addContact,
  addDomainOf,
  addRegistrar,
  unique,
} from '../../support/fixtures.ts';
import { beforeBatch } from '../../support/meanwhile.ts';
import { auctionsOf, historyOf } from '../../support/stored.ts';
import { shareEmptyWorker } from '../../support/worker.ts';

const worker = shareEmptyWorker();
const origin: Origin = {
  actor: { type: 'operator', name: 'Operator' },
  request: { at: new Date('2026-05-06T07:08:09.010Z'), requestId: 'start' },
};

function newName() {
  return parseDomainName(`pürasid${unique()}.ee`);
}

async function register({ name }: { name: string }) {
  const holder = await addContact(worker.env, await addRegistrar(worker.env));
  await addDomainOf(worker.env, holder, name);
}

describe('startAuctions', () => {
  it('starts an auction of each name, with its history', async () => {
    const name = newName();
    expect(await startAuctions({ db: worker.db, origin }, [name, newName(), name])).toBe(2);
    const [auction, ...others] = await auctionsOf(worker.env, name);
    expect(others).toEqual([]);
    expect(auction).toEqual({
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      ...name,
      status: 'started',
      registrationCode: null,
      registrationDeadline: null,
      platform: null,
      version: 1,
      createdAt: '2026-05-06T07:08:09.010Z',
      updatedAt: '2026-05-06T07:08:09.010Z',
    });
    expect(await historyOf(worker.env, 'auction', name)).toMatchObject([
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

  it.each([false, true])(
    'names each name with an auction in progress and starts none (dry run: %s)',
    async (isDryRun) => {
      const [free, ...taken] = [newName(), newName(), newName()];
      await startAuctions({ db: worker.db, origin }, taken);
      await expect(
        startAuctions({ db: worker.db, origin, isDryRun }, [free, ...taken]),
      ).rejects.toMatchObject({
        reason: 'taken',
        problems: taken.map(({ name }) => ({
          message: `"${name}" is in auction`,
          field: 'name',
        })),
      });
      expect(await auctionsOf(worker.env, free)).toEqual([]);
      expect(await historyOf(worker.env, 'auction', free)).toEqual([]);
    },
  );

  it('starts one auction if a name is started twice at once', async () => {
    const name = newName();
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => startAuctions({ db: worker.db, origin }, [name])),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await auctionsOf(worker.env, name)).toHaveLength(1);
    expect(await historyOf(worker.env, 'auction', name)).toHaveLength(1);
  });

  it('refuses a name that is registered between the look and the write, and starts none', async () => {
    const [name, other] = [newName(), newName()];
    const db = beforeBatch(worker.env, 1, () => register(name));
    await expect(startAuctions({ db, origin }, [other, name])).rejects.toMatchObject({
      reason: 'changed_meanwhile',
    });
    expect(await auctionsOf(worker.env, name)).toEqual([]);
    expect(await auctionsOf(worker.env, other)).toEqual([]);
  });

  it('keeps the platform, and records it', async () => {
    const name = newName();
    await startAuctions({ db: worker.db, origin }, [name], { platform: ' english ' });
    expect(await auctionsOf(worker.env, name)).toMatchObject([{ platform: 'english' }]);
    expect(await historyOf(worker.env, 'auction', name)).toMatchObject([
      { changes: { platform: { from: null, to: 'english' } } },
    ]);
  });

  it.each(['', 'x'.repeat(51)])('refuses the platform %j and starts none', async (platform) => {
    const name = newName();
    await expect(
      startAuctions({ db: worker.db, origin, isDryRun: true }, [name], { platform }),
    ).rejects.toMatchObject({ reason: 'invalid', problems: [{ field: 'platform' }] });
    expect(await auctionsOf(worker.env, name)).toEqual([]);
  });
});

it('leaves out names in progress where that is asked for', async () => {
  const [free, taken] = [newName(), newName()];
  const start = (names: DomainName[], isDryRun = false) =>
    startAuctions({ db: worker.db, origin, isDryRun }, names, { ignored: ['in_auction'] });
  await startAuctions({ db: worker.db, origin }, [taken]);
  expect(await start([free, taken, free], true)).toBe(1);
  expect(await start([free, taken, free])).toBe(1);
  expect(await start([free, taken])).toBe(0);
  expect(await auctionsOf(worker.env, taken)).toHaveLength(1);
  expect(await historyOf(worker.env, 'auction', taken)).toHaveLength(1);
  expect(await historyOf(worker.env, 'auction', free)).toHaveLength(1);
});

it('starts 10,000 auctions in one step', async () => {
  const names = Array.from({ length: 10_000 }, newName);
  expect(await startAuctions({ db: worker.db, origin }, names)).toBe(10_000);
  expect(await historyOf(worker.env, 'auction', names.at(-1)!)).toHaveLength(1);
});

describe('listAuctions', () => {
  it('returns the auctions of a status page by page', async () => {
    const [first, second] = [
      await addAuction(worker.env, { status: 'domain_not_registered' }),
      await addAuction(worker.env, { status: 'domain_not_registered' }),
    ];
    await addAuction(worker.env);
    const status = 'domain_not_registered';
    const page = await listAuctions(worker.db, { status, page: { limit: 1 } });
    expect(page).toEqual([first]);
    const rest = { after: first, limit: 9 };
    expect(await listAuctions(worker.db, { status, page: rest })).toEqual([second]);
    expect(await listAuctions(worker.db, { page: { after: second, limit: 1 } })).toMatchObject([
      { status: 'started' },
    ]);
  });
});

it('finds an auction by its UUID, ignoring case', async () => {
  const auction = await addAuction(worker.env);
  expect(await getAuction(worker.db, auction.uuid.toUpperCase())).toEqual(auction);
});
