import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { auctions } from '../../../drizzle/schema.ts';
import type { Database } from '../../../src/base/database/open.ts';
import { correctAuction, registerAuction } from '../../../src/name/auction/operator/correct.ts';
import { startAuctions } from '../../../src/name/auction/operator/start.ts';
import { updateAuction } from '../../../src/name/auction/report.ts';
import { addAuction, operator } from '../../support/fixtures.ts';
import { aroundBatches, beforeBatch } from '../../support/meanwhile.ts';
import { historyOf } from '../../support/stored.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();
const registrationCode = 'd41d8cd98f00b204e9800998ecf8427e';
const paid = { status: 'payment_received', registrationCode } as const;

async function stored(uuid: string) {
  const [auction] = await worker.db.select().from(auctions).where(eq(auctions.uuid, uuid));
  return auction;
}

describe('registerAuction', () => {
  it('ends a paid auction as registered if the code is right', async () => {
    const auction = await addAuction(worker.env, paid);
    const ended = await registerAuction(worker.operation, auction.uuid, registrationCode);
    expect(ended).toMatchObject({ status: 'domain_registered', registrationCode: null });
    expect(await stored(auction.uuid)).toEqual(ended);
    expect(await historyOf(worker.env, 'auction', auction)).toMatchObject([
      {
        action: 'update',
        actor: 'Operator',
        changes: {
          status: { from: 'payment_received', to: 'domain_registered' },
          registrationCode: { redacted: true },
        },
      },
    ]);
  });

  it.each(['', 'D41D8CD98F00B204E9800998ECF8427E'])('refuses the code %j', async (code) => {
    const auction = await addAuction(worker.env, paid);
    await expect(registerAuction(worker.operation, auction.uuid, code)).rejects.toMatchObject({
      reason: 'invalid',
      message: `this is not the registration code of the auction of "${auction.name}"`,
    });
    expect(await stored(auction.uuid)).toEqual(auction);
  });

  it('refuses a code that a former registry left in another status', async () => {
    const auction = await addAuction(worker.env, { ...paid, status: 'payment_not_received' });
    await expect(
      registerAuction(worker.operation, auction.uuid, registrationCode),
    ).rejects.toMatchObject({
      reason: 'invalid',
      message: `the auction of "${auction.name}" is payment_not_received; only a payment_received one can end with a registration`,
      problems: [{ field: 'status' }],
    });
  });

  it('finds the newest auction of a name', async () => {
    await addAuction(worker.env, { name: 'kaks.ee', status: 'no_bids' });
    const { uuid } = await addAuction(worker.env, { ...paid, name: 'kaks.ee' });
    const ended = await registerAuction(worker.operation, 'kaks.ee', registrationCode);
    expect(ended).toMatchObject({ uuid, status: 'domain_registered' });
  });

  it('takes effect once if it succeeded but was reported as failed', async () => {
    const auction = await addAuction(worker.env, paid);
    const failing = aroundBatches(worker.env, async (send) => {
      await send();
      throw new Error('D1_ERROR: Network connection lost.');
    });
    const ended = await registerAuction(
      { db: failing, origin: operator },
      auction.uuid,
      registrationCode,
    );
    expect(ended.status).toBe('domain_registered');
    expect(await historyOf(worker.env, 'auction', auction)).toHaveLength(1);
  });
});

describe('updateAuction', () => {
  it('takes effect after a failure, whatever its command, or another, did before', async () => {
    const auction = await addAuction(worker.env);
    const former = await addAuction(worker.env, { name: auction.name, status: 'no_bids' });
    const other = await addAuction(worker.env);
    const origin = { ...operator };
    const report = (db: Database, { uuid }: { uuid: string }, platform: string, by = origin) =>
      updateAuction({ db, origin: by }, uuid, { platform }, []);
    for (const one of [former, other]) await report(worker.db, one, 'new');
    await report(worker.db, auction, 'old', operator);
    const failing = aroundBatches(worker.env, (send, number) => {
      if (number === 1) throw new Error('D1_ERROR: Network connection lost.');
      return send();
    });
    await report(failing, auction, 'new');
    expect(await stored(auction.uuid)).toMatchObject({ platform: 'new' });
  });

  it('looks again if somebody else was faster, and keeps what they did', async () => {
    const auction = await addAuction(worker.env);
    const faster = { registrationDeadline: '2026-12-31' };
    const overtaken = beforeBatch(worker.env, 1, () =>
      updateAuction(worker.operation, auction.uuid, faster, []),
    );
    const report = { status: 'payment_received' } as const;
    await updateAuction({ db: overtaken, origin: operator }, auction.uuid, report, []);
    expect(await stored(auction.uuid)).toMatchObject({
      status: 'payment_received',
      registrationDeadline: '2026-12-31',
      version: 3,
    });
    expect(await historyOf(worker.env, 'auction', auction)).toHaveLength(2);
  });

  it('starts no auction and records nothing after a write that came too late', async () => {
    const auction = await addAuction(worker.env);
    const restarting = ['payment_not_received'] as const;
    const report = { status: 'payment_not_received' } as const;
    const overtaken = beforeBatch(worker.env, 1, () =>
      updateAuction(worker.operation, auction.uuid, report, restarting),
    );
    await updateAuction({ db: overtaken, origin: operator }, auction.uuid, report, restarting);
    const all = await worker.db.select().from(auctions).where(eq(auctions.name, auction.name));
    expect(all.map(({ status }) => status)).toEqual(['payment_not_received', 'started']);
    expect(await historyOf(worker.env, 'auction', auction)).toHaveLength(2);
  });

  it('starts no auction after a write that failed, even if the name is free', async () => {
    const auction = await addAuction(worker.env, { status: 'awaiting_payment' });
    const report = { status: 'payment_not_received' } as const;
    const overtaken = beforeBatch(worker.env, 1, () =>
      updateAuction(worker.operation, auction.uuid, report, []),
    );
    await updateAuction({ db: overtaken, origin: operator }, auction.uuid, report, [report.status]);
    const all = await worker.db.select().from(auctions).where(eq(auctions.name, auction.name));
    expect(all.map(({ status }) => status)).toEqual(['payment_not_received']);
  });
});

describe('correctAuction', () => {
  it('looks again if the name was put up for auction meanwhile, and leaves the auction as it was', async () => {
    const auction = await addAuction(worker.env, { status: 'no_bids' });
    const { name, punycode } = auction;
    const overtaken = beforeBatch(worker.env, 1, () =>
      startAuctions(worker.operation, [{ name, punycode }]),
    );
    const correction = { auction: auction.uuid, status: 'payment_received', reason: 'x' } as const;
    await expect(
      correctAuction({ db: overtaken, origin: operator }, correction),
    ).rejects.toMatchObject({
      reason: 'taken',
      message: `"${name}" is in auction`,
    });
    expect(await stored(auction.uuid)).toEqual(auction);
  });

  it('sells no name that another auction with the same status holds', async () => {
    const { uuid, name, punycode } = await addAuction(worker.env, { status: 'awaiting_payment' });
    await addAuction(worker.env, { name, punycode, status: 'awaiting_payment' });
    const correction = { auction: uuid, status: 'payment_received', reason: 'x' } as const;
    await expect(correctAuction(worker.operation, correction)).rejects.toMatchObject({
      message: `"${name}" has an auction that awaits payment`,
    });
  });
});
