import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { untilClosed } from '../../drizzle/schema.ts';
import { RegistryError } from '../../src/base/error.ts';
import { dayOf, daysBefore } from '../../src/base/time/day.ts';
import type { Origin } from '../../src/change/origin.ts';
import type { NameStatus } from '../../src/list/lists.ts';
import { readNameHistory, statusesAt } from '../../src/list/name-history/name-history.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import { getAuctionOf } from '../../src/name/auction/read.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { removeRetainedDomains } from '../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { closeDispute, openDispute } from '../../src/name/retained/operator/dispute.ts';
import { replaceRetainedDomains } from '../../src/name/retained/operator/replace.ts';
import { endReservations } from '../../src/name/retained/save.ts';
import type { Form } from '../../src/tool/move-in/kinds/kind.ts';
import { kinds } from '../../src/tool/move-in/kinds/kinds.ts';
import { addForms } from '../../src/tool/move-in/kinds/rows.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { addDispute, operator, unique } from '../support/fixtures.ts';
import { deleteOldEntries } from '../support/following.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

const newName = () => parseDomainName(`õ${unique()}.ee`);

function command(at: string): Origin {
  return { actor: operator.actor, request: { at: new Date(at), requestId: crypto.randomUUID() } };
}

const historyOf = (name: string, now = '2026-12-31T00:00:00.000Z') =>
  readNameHistory(worker.db, name, new Date(now));

const takeBack = async (request: string, origin: Origin) =>
  revert({ db: worker.db, origin }, await planRevert({ db: worker.db, origin }, request));

/** The commands' effect on one name, kept without the registry. */
class Truth {
  /** Since each time: whether the name was blocked or in auction, and reserved until when. */
  readonly states = [{ at: '', isBlocked: false, isInAuction: false, reservedTo: '' }];
  readonly disputes: {
    first: string;
    last: string;
    recordedAt: string;
    closings: { at: string; until: string }[];
    takenBackAt: string;
  }[] = [];

  get state() {
    return this.states.at(-1)!;
  }

  set(at: string, change: Partial<(typeof this.states)[number]>): void {
    this.states.push({ ...this.state, ...change, at });
  }

  statusesAt(time: string): NameStatus[] {
    const { isBlocked, isInAuction, reservedTo } = this.states.findLast(({ at }) => at <= time)!;
    const day = time.slice(0, 10);
    const isDisputed = this.disputes.some(
      ({ first, last, recordedAt, closings, takenBackAt }) =>
        first <= day &&
        day <= last &&
        !closings.some(({ at, until }) => at <= time && time < until) &&
        (takenBackAt === never || (recordedAt.slice(0, 10) <= day && time < takenBackAt)),
    );
    const all: [NameStatus, boolean][] = [
      ['auction', isInAuction],
      ['blocked', isBlocked],
      ['disputed', isDisputed],
      ['reserved', day <= reservedTo],
    ];
    return all.filter(([, isTrue]) => isTrue).map(([status]) => status);
  }
}

const never = '~';
const restarting = ['no_bids', 'payment_not_received'] as const;

/** Commands about one name: each changes the registry, then the truth, and returns what taking it back does to that. */
function commandsFor(name: ReturnType<typeof newName>, truth: Truth) {
  const { db } = worker;
  const reserved = { ...name, status: 'reserved' as const };
  const blocked = { ...name, status: 'blocked' as const };
  const auctions: string[] = [];
  /** Taking back sets the state before, but for a reservation that is over; taking that back sets the state after. */
  const setting = (at: string, change: Partial<typeof truth.state>) => {
    const before = truth.state;
    truth.set(at, change);
    const after = truth.state;
    const swap = (to: typeof before, other: typeof before) => (at: string) => {
      const isLeftOut = !truth.state.reservedTo && to.reservedTo < at.slice(0, 10);
      truth.set(at, isLeftOut ? { ...to, reservedTo: '' } : to);
      return swap(other, to);
    };
    return swap(before, after);
  };
  const auction = (at: string, act: () => void) => {
    act();
    truth.set(at, { isInAuction: auctions.at(-1) === 'started' });
  };
  type Undo = (at: string) => Undo | undefined;
  const pushing =
    (status: string): Undo =>
    (at) => {
      auction(at, () => auctions.push(status));
      return popping;
    };
  const popping: Undo = (at) => {
    auction(at, () => auctions.pop());
    return pushing('started');
  };
  /** The last day that a reservation keeps; one that is over has none. */
  const keptTo = (at: string) => {
    const { reservedTo } = truth.state;
    return reservedTo < at.slice(0, 10) ? never : reservedTo;
  };
  const reserve = (lastDay?: string) => async (origin: Origin, at: string) => {
    await addRetainedDomains({ db, origin }, [{ ...reserved, lastDay }]);
    return setting(at, { reservedTo: lastDay ?? keptTo(at) });
  };
  const replace = (isReserved: boolean) => async (origin: Origin, at: string) => {
    await replaceRetainedDomains(
      { db, origin },
      ['reserved', 'blocked'],
      [isReserved ? reserved : blocked],
    );
    const reservedTo = isReserved ? keptTo(at) : '';
    return setting(at, { reservedTo, isBlocked: !isReserved });
  };
  const report = (status: 'awaiting_payment' | (typeof restarting)[number]) => {
    return async (origin: Origin, at: string) => {
      const { uuid } = await getAuctionOf(db, name.name);
      await updateAuction({ db, origin }, uuid, { status }, restarting);
      if (status === auctions.at(-1)) return undefined;
      auction(at, () => {
        auctions[auctions.length - 1] = status;
        const statuses = truth.statusesAt(at);
        const isHindered = statuses.includes('blocked') || statuses.includes('disputed');
        if (restarting.some((some) => some === status) && !isHindered) auctions.push('started');
      });
      return undefined;
    };
  };
  const dispute = (from: number, days: number) => async (origin: Origin, at: string) => {
    const firstDay = daysBefore(at.slice(0, 10), -from);
    const lastDay = days ? daysBefore(firstDay, -days) : untilClosed;
    await openDispute({ db, origin }, { ...name, firstDay, lastDay });
    const open: Undo = (recordedAt) => {
      const closings: (typeof truth.disputes)[number]['closings'] = [];
      const opened = { first: firstDay, last: lastDay, recordedAt, closings, takenBackAt: never };
      truth.disputes.push(opened);
      return (at) => {
        opened.takenBackAt = at;
        return open;
      };
    };
    return open(at);
  };
  return {
    reserve: reserve(),
    reserveBriefly: (origin: Origin, at: string) =>
      reserve(daysBefore(at.slice(0, 10), -2))(origin, at),
    reserveLonger: (origin: Origin, at: string) =>
      reserve(daysBefore(at.slice(0, 10), -9))(origin, at),
    endYesterday: (origin: Origin, at: string) =>
      reserve(daysBefore(at.slice(0, 10), 1))(origin, at),
    async release(origin: Origin, at: string) {
      await removeRetainedDomains({ db, origin }, [reserved]);
      return setting(at, { reservedTo: '' });
    },
    async block(origin: Origin, at: string) {
      await addRetainedDomains({ db, origin }, [blocked]);
      return setting(at, { isBlocked: true });
    },
    async unblock(origin: Origin, at: string) {
      await removeRetainedDomains({ db, origin }, [blocked]);
      return setting(at, { isBlocked: false });
    },
    replaceByReserved: replace(true),
    replaceByBlocked: replace(false),
    async night({ request }: Origin, at: string) {
      await endReservations(db, request);
      if (truth.state.reservedTo < at.slice(0, 10)) truth.set(at, { reservedTo: '' });
      return undefined;
    },
    async auction(origin: Origin, at: string) {
      const ignored = ['reserved', 'disputed', 'blocked', 'paid'] as const;
      await startAuctions({ db, origin }, [name], { ignored });
      return pushing('started')(at);
    },
    async cancel(origin: Origin, at: string) {
      await cancelAuction({ db, origin }, { auction: name.name, reason: 'wrong name' });
      return popping(at);
    },
    won: report('awaiting_payment'),
    noBids: report('no_bids'),
    notPaid: report('payment_not_received'),
    disputeNow: dispute(0, 3),
    disputeOfLately: dispute(-2, 5),
    disputeSoon: dispute(2, 2),
    disputeWithoutEnd: dispute(0, 0),
    async settle(origin: Origin, at: string) {
      await closeDispute({ db, origin }, { ...name, reason: 'settled' });
      const closed = truth.disputes
        .filter(({ last, closings, takenBackAt }) => {
          const isClosed = closings.some(({ until }) => until === never);
          return takenBackAt === never && !isClosed && last >= at.slice(0, 10);
        })
        .sort((one, other) => (one.first < other.first ? -1 : 1))[0]!;
      const close: Undo = (at) => {
        const closing = { at, until: never };
        closed.closings.push(closing);
        return (until) => {
          closing.until = until;
          return close;
        };
      };
      return close(at);
    },
  };
}

type CommandName = keyof ReturnType<typeof commandsFor>;
const life = (commandNames: CommandName[]) =>
  fc.array(
    fc.record({
      what: fc.constantFrom<CommandName | 'takeBack'>(...commandNames, 'takeBack', 'takeBack'),
      pauseMilliseconds: fc.integer({ min: 1, max: 2 * 86_400_000 }),
    }),
    { minLength: 10, maxLength: 25 },
  );

it('says of every second what the name was, whatever was done to it and taken back', async () => {
  const commandNames = Object.keys(commandsFor(newName(), new Truth())) as CommandName[];
  await fc.assert(
    fc.asyncProperty(life(commandNames), async (steps) => {
      const name = newName();
      const truth = new Truth();
      const commands = commandsFor(name, truth);
      let now = new Date('2026-03-01T00:00:00.000Z');
      let last: { request: string; undo: (at: string) => unknown } | undefined;
      const times = new Set<string>();
      for (const { what, pauseMilliseconds } of steps) {
        now = new Date(now.getTime() + pauseMilliseconds);
        const at = now.toISOString();
        const origin = command(at);
        try {
          if (what !== 'takeBack') {
            const undo = await commands[what](origin, at);
            last = undo && { request: origin.request.requestId, undo };
          } else if (last) {
            await takeBack(last.request, origin);
            const redo = last.undo(at) as typeof last.undo;
            last = { request: origin.request.requestId, undo: redo };
          }
        } catch (error) {
          // Refused, so nothing has changed.
          if (!(error instanceof RegistryError)) throw error;
        }
        times.add(at).add(`${dayOf(now)}T00:00:00.000Z`);
      }
      const said = await historyOf(name.name, now.toISOString());
      for (const { from, until } of said) times.add(from!).add(until ?? from!);
      for (const time of times) {
        for (const instant of [new Date(time), new Date(Date.parse(time) - 1)]) {
          const at = instant.toISOString();
          expect([at, statusesAt(said, instant).known.sort()]).toEqual([at, truth.statusesAt(at)]);
        }
      }
      expect(said).toEqual(said.toSorted((a, b) => (a.from! < b.from! ? -1 : 0)));
      const touching = said.filter(({ status, until }) =>
        said.some((next) => next.status === status && next.from === until),
      );
      expect(touching).toEqual([]);
    }),
    { numRuns: inject('isDeep') ? 60 : 3 },
  );
}, 60_000);

it('overlaps and joins: a dispute during a reservation, and auctions that follow each other at once', async () => {
  const name = newName();
  await addRetainedDomains({ db: worker.db, origin: command('2026-01-05T10:00:00.000Z') }, [
    { ...name, status: 'reserved', lastDay: '2026-01-31' },
  ]);
  await openDispute(
    { db: worker.db, origin: command('2026-01-06T08:30:00.000Z') },
    {
      ...name,
      firstDay: '2026-01-13',
      lastDay: '2026-01-20',
    },
  );
  const ignored = ['reserved', 'disputed'] as const;
  await startAuctions({ db: worker.db, origin: command('2026-01-10T09:00:00.000Z') }, [name], {
    ignored,
  });
  for (const day of ['11', '12']) {
    const { uuid } = await getAuctionOf(worker.db, name.name);
    const origin = command(`2026-01-${day}T09:00:00.000Z`);
    await updateAuction({ db: worker.db, origin }, uuid, { status: 'no_bids' }, ['no_bids']);
  }
  expect(await historyOf(name.name, '2026-01-14T12:00:00.000Z')).toEqual([
    { status: 'reserved', from: '2026-01-05T10:00:00.000Z', until: null },
    { status: 'auction', from: '2026-01-10T09:00:00.000Z', until: null },
    { status: 'disputed', from: '2026-01-13T00:00:00.000Z', until: null },
  ]);
  expect((await historyOf(name.name)).map(({ until }) => until)).toEqual([
    '2026-02-01T00:00:00.000Z',
    null,
    '2026-01-21T00:00:00.000Z',
  ]);
});

describe('a dispute that was closed, and whose closing was taken back', () => {
  const open = (name: ReturnType<typeof newName>, at: string, firstDay: string, lastDay: string) =>
    openDispute({ db: worker.db, origin: command(at) }, { ...name, firstDay, lastDay });
  const closeFor = async (name: ReturnType<typeof newName>, from: string, until: string) => {
    const closing = command(from);
    await closeDispute({ db: worker.db, origin: closing }, { ...name, reason: 'settled' });
    await takeBack(closing.request.requestId, command(until));
  };

  it('leaves the next dispute whole', async () => {
    const name = newName();
    await open(name, '2026-01-01T08:00:00.000Z', '2026-01-01', '2026-01-10');
    await open(name, '2026-01-01T09:00:00.000Z', '2026-01-11', '2026-01-20');
    await closeFor(name, '2026-01-09T10:00:00.000Z', '2026-01-12T10:00:00.000Z');
    expect(await historyOf(name.name)).toEqual([
      { status: 'disputed', from: '2026-01-01T00:00:00.000Z', until: '2026-01-09T10:00:00.000Z' },
      { status: 'disputed', from: '2026-01-11T00:00:00.000Z', until: '2026-01-21T00:00:00.000Z' },
    ]);
  });

  it('ends anew when that is taken back as well', async () => {
    const name = newName();
    await open(name, '2026-01-01T08:00:00.000Z', '2026-01-01', '2026-01-31');
    const closing = command('2026-01-05T10:00:00.000Z');
    await closeDispute({ db: worker.db, origin: closing }, { ...name, reason: 'settled' });
    let last = closing;
    for (const day of ['08', '11', '14']) {
      const again = command(`2026-01-${day}T10:00:00.000Z`);
      await takeBack(last.request.requestId, again);
      last = again;
    }
    expect((await historyOf(name.name)).map(({ from, until }) => [from, until])).toEqual([
      ['2026-01-01T00:00:00.000Z', '2026-01-05T10:00:00.000Z'],
      ['2026-01-08T10:00:00.000Z', '2026-01-11T10:00:00.000Z'],
      ['2026-01-14T10:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ]);
    await takeBack(last.request.requestId, command('2026-01-17T10:00:00.000Z'));
    expect((await historyOf(name.name)).at(-1)?.until).toBe('2026-01-17T10:00:00.000Z');
  });

  it('leaves a dispute whole that began earlier but was recorded later', async () => {
    const name = newName();
    await open(name, '2026-01-01T08:00:00.000Z', '2026-01-01', '2026-01-31');
    await closeFor(name, '2026-01-09T10:00:00.000Z', '2026-01-12T10:00:00.000Z');
    await closeDispute(
      { db: worker.db, origin: command('2026-01-15T10:00:00.000Z') },
      { ...name, reason: 'settled' },
    );
    await open(name, '2026-01-16T10:00:00.000Z', '2025-12-25', '2026-01-09');
    expect(await historyOf(name.name)).toEqual([
      { status: 'disputed', from: '2025-12-25T00:00:00.000Z', until: '2026-01-10T00:00:00.000Z' },
      { status: 'disputed', from: '2026-01-12T10:00:00.000Z', until: '2026-01-15T10:00:00.000Z' },
    ]);
  });
});

it('is read at once, however often a closing was taken back', async () => {
  const { name, punycode } = newName();
  await addDispute(worker.env, { name, punycode, firstDay: '2026-01-01', lastDay: untilClosed });
  await worker.env.DB.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 99)
     insert into history (occurred_at, subject, subject_key, action, actor_type, actor, changes)
     select strftime('%Y-%m-%dT%H:30:00.000Z', '2026-02-01', i || ' hours'), 'dispute', ?, 'update', 'operator', 'Operator',
       json_object('closedAt', json_object('from', strftime('%Y-%m-%dT%H:00:00.000Z', '2026-02-01', i || ' hours'), 'to', null))
     from n`,
  )
    .bind(name)
    .run();
  expect(await historyOf(name)).toHaveLength(101);
});

describe('a name that moved in', () => {
  const add = (name: string, form: Form) => {
    const actor = { type: 'move_in', name: 'Former registry' } as const;
    const origin = { ...command('2026-03-01T12:00:00.000Z'), actor };
    const kind = kinds.find((one) => one.name === name)!;
    return addForms({ db: worker.db, origin }, kind, [{ form }]);
  };
  const created = '2019-05-06T07:08:09.000Z';
  const times = { created_at: created, updated_at: '2019-06-01T00:00:00.000Z' };

  it('begins with what was moved in', async () => {
    const { name } = newName();
    await add('reserved', { name, password: 'secret', last_day: null, created_at: created });
    await add('blocked', { name, created_at: created });
    const auction = { registration_code: null, registration_deadline: null, platform: null };
    const uuid = crypto.randomUUID();
    await add('auctions', { ...{ uuid, name, status: 'started' }, ...auction, ...times });
    const until = '2026-04-01T00:00:00.000Z';
    const all = [{ ...parseDomainName(name), status: 'blocked' as const }];
    await removeRetainedDomains({ db: worker.db, origin: command(until) }, all);
    expect(await historyOf(name)).toEqual([
      { status: 'auction', from: created, until: null },
      { status: 'blocked', from: created, until },
      { status: 'reserved', from: created, until: null },
    ]);
  });

  it('says nothing of auctions that were over, because their ends did not move in', async () => {
    const { name } = newName();
    const auction = { registration_code: null, registration_deadline: null, platform: null };
    const uuid = crypto.randomUUID();
    await add('auctions', { ...{ uuid, name, status: 'no_bids' }, ...auction, ...times });
    expect(await historyOf(name)).toEqual([]);
  });
});

it('a name whose beginnings are no longer on record is what it is at present, and ended without a beginning', async () => {
  const [here, gone] = [newName(), newName()];
  const blocked = [here, gone].map((name) => ({ ...name, status: 'blocked' as const }));
  const from = '2026-01-05T00:00:00.000Z';
  await addRetainedDomains({ db: worker.db, origin: command(from) }, blocked);
  const until = '2026-02-01T00:00:00.000Z';
  await removeRetainedDomains({ db: worker.db, origin: command(until) }, [blocked[1]!]);
  await deleteOldEntries(worker.db, until);
  expect(await historyOf(here.name)).toEqual([{ status: 'blocked', from, until: null }]);
  expect(await historyOf(gone.name)).toEqual([{ status: 'blocked', from: null, until }]);
});
