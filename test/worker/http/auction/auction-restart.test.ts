import { and, eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { auctions, history } from '../../../../drizzle/schema.ts';
import {
  listAuctionsNotRestarted,
  listOverdueAuctions,
} from '../../../../src/name/auction/operator/waiting.ts';
import { parseDomainName } from '../../../../src/name/domain/operator/name.ts';
import { removeRetainedDomains } from '../../../../src/name/retained/change-names.ts';
import { auctionClient } from '../../../support/client.ts';
import {
  addAuction,
  addContact,
  addDispute,
  addDomainOf,
  addRegistrar,
  addRetainedDomain,
  operator,
} from '../../../support/fixtures.ts';
import { auctionsOf } from '../../../support/stored.ts';
import { shareWorker } from '../../../support/worker.ts';

const worker = shareWorker({
  AUCTION_RESTART_STATUSES: 'payment_not_received, domain_not_registered',
});

const centre = auctionClient(worker);

function report(uuid: string, status: string, fields: object = {}) {
  return centre.report(uuid, { status, ...fields });
}

it.each(['payment_not_received', 'domain_not_registered'])(
  'puts the name up for auction again, under a new UUID, on %s',
  async (status) => {
    const auction = await addAuction(worker.env, { status: 'awaiting_payment' });
    const response = await report(auction.uuid, status);
    expect(await response.json()).toMatchObject({ id: auction.uuid, status });
    const [old, next, ...others] = await auctionsOf(worker.env, auction);
    expect(old).toMatchObject({ uuid: auction.uuid, status });
    expect(next).toMatchObject({ status: 'started', punycode: auction.punycode, version: 1 });
    expect(next!.uuid).not.toBe(auction.uuid);
    expect(others).toEqual([]);
    const recorded = await worker.db
      .select()
      .from(history)
      .where(and(eq(history.subject, 'auction'), eq(history.subjectUuid, next!.uuid)));
    expect(recorded).toMatchObject([
      { action: 'create', actor: 'Auction centre 127.0.0.1', subjectKey: auction.name },
    ]);
  },
);

it('starts one new auction however often the status is reported', async () => {
  const { uuid, name } = await addAuction(worker.env, { status: 'awaiting_payment' });
  await Promise.all(Array.from({ length: 5 }, () => report(uuid, 'payment_not_received')));
  await report(uuid, 'payment_not_received');
  expect(await auctionsOf(worker.env, { name })).toHaveLength(2);
});

it('starts one if several auctions of the name end that way at once', async () => {
  const first = await addAuction(worker.env, { status: 'awaiting_payment' });
  const second = await addAuction(worker.env, { name: first.name, status: 'awaiting_payment' });
  await Promise.all([first, second].map(({ uuid }) => report(uuid, 'payment_not_received')));
  const statuses = (await auctionsOf(worker.env, first)).map(({ status }) => status);
  expect(statuses).toEqual(['payment_not_received', 'payment_not_received', 'started']);
});

it('starts none on a status that is not in the setting', async () => {
  const { uuid, name } = await addAuction(worker.env);
  await report(uuid, 'no_bids');
  expect(await auctionsOf(worker.env, { name })).toHaveLength(1);
});

it.each([
  ['in progress', 'started'],
  ['registered', 'domain_registered'],
] as const)('starts none on a late report where a newer auction is %s', async (_, newer) => {
  const { uuid, name } = await addAuction(worker.env, { status: 'payment_not_received' });
  await addAuction(worker.env, { name, status: newer });

  await report(uuid, 'domain_not_registered');

  expect((await auctionsOf(worker.env, { name })).map(({ status }) => status)).toEqual([
    'domain_not_registered',
    newer,
  ]);
});

it('starts one if only an older auction is paid', async () => {
  const { name } = await addAuction(worker.env, { status: 'domain_registered' });
  const { uuid } = await addAuction(worker.env, { name, status: 'awaiting_payment' });

  await report(uuid, 'payment_not_received');

  expect((await auctionsOf(worker.env, { name })).map(({ status }) => status)).toEqual([
    'domain_registered',
    'payment_not_received',
    'started',
  ]);
});

it('starts none while an older auction, paid late, holds the name', async () => {
  const { uuid, name } = await addAuction(worker.env, { status: 'awaiting_payment' });
  await report(uuid, 'payment_not_received');
  await report(uuid, 'payment_received');
  const [, second] = await auctionsOf(worker.env, { name });
  await report(second!.uuid, 'payment_not_received');
  expect((await auctionsOf(worker.env, { name })).map(({ status }) => status)).toEqual([
    'payment_received',
    'payment_not_received',
  ]);
});

it('gives the next auction the platform of the previous one, even if it comes with the report', async () => {
  const known = await addAuction(worker.env, { status: 'awaiting_payment', platform: 'english' });
  await report(known.uuid, 'payment_not_received');
  const told = await addAuction(worker.env, { status: 'awaiting_payment' });
  await report(told.uuid, 'payment_not_received', { platform: 'blind' });

  expect((await auctionsOf(worker.env, known)).map(({ platform }) => platform)).toEqual([
    'english',
    'english',
  ]);
  expect((await auctionsOf(worker.env, told)).map(({ platform }) => platform)).toEqual([
    'blind',
    'blind',
  ]);
});

it('starts none if the name is registered', async () => {
  const contact = await addContact(worker.env, await addRegistrar(worker.env));
  const { name } = await addDomainOf(worker.env, contact);
  const { uuid } = await addAuction(worker.env, { name, status: 'no_bids' });
  await report(uuid, 'domain_not_registered');
  expect(await auctionsOf(worker.env, { name })).toHaveLength(1);
});

it.each([
  ['blocked', (name: string) => addRetainedDomain(worker.env, { name, status: 'blocked' })],
  ['disputed', (name: string) => addDispute(worker.env, { name })],
])('takes the report and starts none of a name that is %s, which health names', async (_, add) => {
  const { uuid, name } = await addAuction(worker.env, { status: 'awaiting_payment' });
  await add(name);
  expect((await report(uuid, 'payment_not_received')).status).toBe(200);
  expect((await auctionsOf(worker.env, { name })).map(({ status }) => status)).toEqual([
    'payment_not_received',
  ]);
  const named = async () => {
    const now = new Date();
    const left = await listAuctionsNotRestarted(worker.db, ['payment_not_received'], now);
    return left.some((auction) => auction.name === name);
  };
  expect(await named()).toBe(true);
  await addAuction(worker.env, { name });
  expect(await named()).toBe(false);
});

it('health goes on naming an auction of which the name is no longer blocked, after a later report, too', async () => {
  const { uuid, name } = await addAuction(worker.env, { status: 'awaiting_payment' });
  const blocked = { ...parseDomainName(name), status: 'blocked' as const };
  const at = new Date(Date.now() + 1_000);
  await addRetainedDomain(worker.env, blocked);
  await report(uuid, 'payment_not_received');
  await removeRetainedDomains(
    { db: worker.db, origin: { ...operator, request: { ...operator.request, at } } },
    [blocked],
  );
  await worker.db
    .update(auctions)
    .set({ updatedAt: '2999-01-01T00:00:00.000Z' })
    .where(eq(auctions.uuid, uuid));
  const left = await listAuctionsNotRestarted(worker.db, ['payment_not_received'], new Date());
  expect(left.map((auction) => auction.uuid)).toContain(uuid);
});

it('starts one of a name that is reserved', async () => {
  const { uuid, name } = await addAuction(worker.env, { status: 'awaiting_payment' });
  await addRetainedDomain(worker.env, { name });
  await report(uuid, 'payment_not_received');
  expect(await auctionsOf(worker.env, { name })).toHaveLength(2);
});

it('lists paid auctions once their deadline has passed', async () => {
  const status = 'payment_received';
  const added = await Promise.all(
    ['2026-11-20', '2026-11-21', '2026-11-21T11:59:59Z', null].map((registrationDeadline) =>
      addAuction(worker.env, { status, registrationDeadline }),
    ),
  );
  const overdue = await listOverdueAuctions(worker.db, new Date('2026-11-21T12:00:00.000Z'));
  const isOverdue = added.map(({ uuid }) => overdue.some((auction) => auction.uuid === uuid));
  expect(isOverdue).toEqual([true, false, true, false]);
});
