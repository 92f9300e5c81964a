import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { disputes, untilClosed } from '../../../drizzle/schema.ts';
import { everyRow } from '../../../src/base/database/every-row.ts';
import type { Dispute } from '../../../src/name/retained/dispute.ts';
import {
  closeDispute,
  listDisputes,
  openDispute,
} from '../../../src/name/retained/operator/dispute.ts';
import { importDisputes } from '../../../src/name/retained/operator/import-disputes.ts';
import { operator, unique } from '../../support/fixtures.ts';
import { beforeBatch } from '../../support/meanwhile.ts';
import { changesOf } from '../../support/stored.ts';
import { shareWorker } from '../../support/worker.ts';

const worker = shareWorker();

const may = ['2026-05-01', '2026-05-31'] as const;

function newName() {
  const name = `disputed${unique()}.ee`;
  return { name, punycode: name };
}

function open(name: ReturnType<typeof newName>, [firstDay, lastDay]: readonly [string, string]) {
  return openDispute(worker.operation, { ...name, firstDay, lastDay });
}

/** A name that is disputed in each of the periods. */
async function disputedName(...periods: (readonly [string, string])[]) {
  const name = newName();
  for (const period of periods) await open(name, period);
  return name;
}

/** The operator at noon of a day. */
function on(day: string) {
  return { ...operator, request: { ...operator.request, at: new Date(`${day}T12:00:00Z`) } };
}

async function daysOf({ name }: { name: string }) {
  const rows = await worker.db
    .select()
    .from(disputes)
    .where(eq(disputes.name, name))
    .orderBy(asc(disputes.firstDay));
  return rows.map(({ firstDay, lastDay }) => [firstDay, lastDay]);
}

async function closedOf({ name }: { name: string }) {
  const listed = await listDisputes(worker.db, { name, page: { limit: 10 } });
  return listed.map(({ closedAt }) => closedAt);
}

describe('importDisputes', () => {
  it('adds what is known of a dispute, and keeps its password and words about persons out of its history', async () => {
    const dispute = {
      ...newName(),
      ...{ firstDay: '2026-05-01', lastDay: untilClosed },
      ...{ password: 'vaidlus', comment: 'kohtuasi 2-26-1', initiator: 'Mari Maasikas' },
    };
    await importDisputes(worker.operation, [dispute]);
    expect(
      await listDisputes(worker.db, { name: dispute.name, page: { limit: 10 } }),
    ).toMatchObject([{ ...dispute, closedAt: null }]);
    expect(await changesOf(worker.env, 'dispute', dispute)).toEqual([
      {
        action: 'create',
        changes: {
          firstDay: { from: null, to: '2026-05-01' },
          lastDay: { from: null, to: '9999-12-31' },
          password: { redacted: true },
          comment: { redacted: true },
          initiator: { redacted: true },
        },
      },
    ]);
  });

  it('adds a closed dispute beside another on the same days, once', async () => {
    const name = newName();
    const closed = {
      ...name,
      ...{ firstDay: '2026-04-01', lastDay: '2026-06-30', closedAt: '2026-04-02T00:00:00.000Z' },
    };
    await open(name, may);
    const importAgain = () => importDisputes(worker.operation, [closed]);
    expect(await importAgain()).toEqual({ opened: 1, unchanged: 0 });
    expect(await importAgain()).toEqual({ opened: 0, unchanged: 1 });
  });

  it('refuses a closed dispute that is open here, and reopens none', async () => {
    const name = newName();
    const days = { firstDay: may[0], lastDay: may[1] };
    await open(name, may);
    const closed = { ...name, ...days, closedAt: '2026-05-02T00:00:00.000Z' };
    await expect(importDisputes(worker.operation, [closed])).rejects.toThrow(/is not closed here/);
    await closeDispute(worker.operation, { ...name, reason: 'settled' });
    expect(await importDisputes(worker.operation, [{ ...name, ...days }])).toEqual({
      opened: 0,
      unchanged: 1,
    });
  });

  it('counts only what it opened, if somebody else was faster with one of them', async () => {
    const [first, second] = [newName(), newName()].map((name) => ({
      ...name,
      ...{ firstDay: may[0], lastDay: may[1] },
    }));
    const slow = beforeBatch(worker.env, 1, () => openDispute(worker.operation, second!));
    expect(await importDisputes({ db: slow, origin: operator }, [first!, second!])).toEqual({
      opened: 1,
      unchanged: 1,
    });
  });
});

describe('openDispute', () => {
  it('opens a dispute with its history', async () => {
    const name = await disputedName(may);
    expect(await daysOf(name)).toEqual([may]);
    expect(await changesOf(worker.env, 'dispute', name)).toEqual([
      {
        action: 'create',
        changes: {
          firstDay: { from: null, to: '2026-05-01' },
          lastDay: { from: null, to: '2026-05-31' },
        },
      },
    ]);
  });

  it('takes a dispute of one day, and one right after another', async () => {
    const name = await disputedName(['2026-05-01', '2026-05-01'], ['2026-05-02', '2026-05-02']);
    expect(await daysOf(name)).toHaveLength(2);
  });

  it.each([
    ['2026-05-31', '2026-06-30'],
    ['2026-04-01', '2026-05-01'],
    ['2026-05-10', '2026-05-11'],
    ['2026-04-01', '2026-06-30'],
  ])('refuses one from %s to %s beside one in May', async (firstDay, lastDay) => {
    const name = await disputedName(may);
    await expect(open(name, [firstDay, lastDay])).rejects.toMatchObject({
      reason: 'taken',
      message: `"${name.name}" is already disputed from 2026-05-01 to 2026-05-31`,
    });
    expect(await daysOf(name)).toEqual([may]);
    expect(await changesOf(worker.env, 'dispute', name)).toHaveLength(1);
  });

  it('opens one of several that are requested at once', async () => {
    const name = newName();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => open(name, may)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await daysOf(name)).toHaveLength(1);
    expect(await changesOf(worker.env, 'dispute', name)).toHaveLength(1);
  });

  it.each([
    [
      '2026-02-30',
      '2026-05-31',
      '"2026-02-30" is not a day in the calendar; write it like 2026-01-31',
    ],
    [
      '2026-05-01',
      '31.5.2026',
      '"31.5.2026" is not a day in the calendar; write it like 2026-01-31',
    ],
    ['2026-05-02', '2026-05-01', 'the last day, 2026-05-01, comes before the first, 2026-05-02'],
  ])('refuses %s to %s', async (firstDay, lastDay, message) => {
    const name = newName();
    await expect(open(name, [firstDay, lastDay])).rejects.toMatchObject({
      reason: 'invalid',
      message,
    });
    expect(await daysOf(name)).toEqual([]);
  });
});

describe('closeDispute', () => {
  it.each([
    ['in force', '2026-05-15'],
    ['on its last day', '2026-05-31'],
    ['to come', '2026-04-30'],
  ])('closes a dispute %s, and keeps it on record', async (_, today) => {
    const name = await disputedName(may);
    await closeDispute({ db: worker.db, origin: on(today) }, { ...name, reason: 'settled' });
    expect(await daysOf(name)).toEqual([may]);
    expect(await closedOf(name)).toEqual([`${today}T12:00:00.000Z`]);
    expect((await changesOf(worker.env, 'dispute', name))[1]).toEqual({
      action: 'update',
      changes: {
        closedAt: { from: null, to: `${today}T12:00:00.000Z` },
        reason: { from: null, to: 'settled' },
      },
    });
  });

  it('leaves past and later disputes alone', async () => {
    const name = await disputedName(['2026-01-01', '2026-01-31'], may, [
      '2026-09-01',
      '2026-09-30',
    ]);
    await closeDispute({ db: worker.db, origin: on('2026-05-15') }, { ...name, reason: 'settled' });
    expect(await closedOf(name)).toEqual([null, '2026-05-15T12:00:00.000Z', null]);
  });

  it('lets the name be disputed again on the same days', async () => {
    const name = await disputedName(may);
    await closeDispute({ db: worker.db, origin: on('2026-05-15') }, { ...name, reason: 'settled' });
    await open(name, may);
    expect(await closedOf(name)).toEqual(['2026-05-15T12:00:00.000Z', null]);
  });

  it('refuses a name that is not disputed, or no longer', async () => {
    const name = await disputedName(may);
    await expect(
      closeDispute({ db: worker.db, origin: on('2026-06-01') }, { ...name, reason: 'settled' }),
    ).rejects.toMatchObject({
      reason: 'not_found',
      message: `"${name.name}" is not disputed`,
    });
  });
});

it('lists disputes page by page', async () => {
  const name = await disputedName(['2026-01-01', '2026-01-31'], may);
  const listed = await Array.fromAsync(
    everyRow<Dispute>((page) => listDisputes(worker.db, { page }), 1),
  );
  expect(listed.filter((dispute) => dispute.name === name.name)).toMatchObject([
    { firstDay: '2026-01-01', lastDay: '2026-01-31' },
    { firstDay: '2026-05-01', lastDay: '2026-05-31' },
  ]);
});

describe('the password', () => {
  const passwordsOf = async ({ name }: { name: string }) =>
    (await listDisputes(worker.db, { name, page: { limit: 10 } })).map(({ password }) => password);
  const isMade = expect.stringMatching(/^[\da-f]{32}$/);

  it('of a dispute that is opened or imported without one is made, and another for each', async () => {
    const [opened, imported] = [newName(), newName()];
    const days = { firstDay: '2026-05-01', lastDay: untilClosed };
    await openDispute(worker.operation, { ...opened, ...days });
    await importDisputes(worker.operation, [{ ...imported, ...days, password: null }]);
    const made = [...(await passwordsOf(opened)), ...(await passwordsOf(imported))];
    expect(made).toEqual([isMade, isMade]);
    expect(new Set(made).size).toBe(2);
  });
});
