import type { Database } from '../../../src/base/database/open.ts';
import type { Origin } from '../../../src/change/origin.ts';
import { createContact } from '../../../src/contact/create.ts';
import { deleteContact } from '../../../src/contact/delete.ts';
import { updateContact } from '../../../src/contact/update.ts';
import {
  type AuctionReport,
  reportableStatuses,
  updateAuction,
} from '../../../src/name/auction/report.ts';
import { startAuction } from '../../../src/name/auction/start.ts';
import { removeDomains, saveDomain, saveDomains } from '../../../src/name/domain/save.ts';
import { registerDomain } from '../../../src/name/registration/register.ts';
import { releaseDomain } from '../../../src/name/registration/release.ts';
import {
  forgetRegistrations,
  takeBackRegistration,
} from '../../../src/name/registration/take-back.ts';
import { openDispute } from '../../../src/name/retained/operator/dispute.ts';
import { endReservations, saveRetainedDomain } from '../../../src/name/retained/save.ts';
import type { System } from '../../../src/party/system/login.ts';
import { planRevert, revert } from '../../../src/undo/revert.ts';
import { contactValues } from '../../support/fixtures.ts';
import {
  domainOf,
  everyCommand,
  type Numbers,
  type Pool,
  personOf,
} from '../../support/random-changes.ts';
import { readRows } from './lawful.ts';

const at = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
const hour = 60 * 60 * 1000;
const dayIn = (now: Date, days: number) =>
  new Date(now.getTime() + days * 24 * hour).toISOString().slice(0, 10);

/** A registry's life, as those who take part in it know it. */
export interface Life {
  pool: Pool;
  systems: System[];
  /** The requests of the operator. */
  past: string[];
  /** What the auction centre has reported. */
  reports: { uuid: string; report: AuctionReport }[];
}

interface Given {
  numbers: Numbers;
  now: Date;
  system: System;
  secrets: readonly string[];
}

type Command = (db: Database, origin: Origin, life: Life, given: Given) => Promise<unknown>;

/** Of the registrar that the contact with this code belongs to. */
const loginFor = ({ logins, codes }: Pool, n: number) =>
  at(logins, Math.floor((n % codes.length) / 3));
const nameOf = ({ names }: Pool, { numbers: [a] }: Given) => at(names, a);
const wantedFor = (pool: Pool, numbers: Numbers) =>
  numbers[2] % 3 === 0 ? undefined : domainOf(pool, numbers);

export const bySystem: Record<string, Command> = {
  register: (db, origin, { pool }, { system, numbers, secrets }) =>
    registerDomain({ db, origin }, system, domainOf(pool, numbers), secrets),
  'take back': (db, origin, { pool }, deed) =>
    takeBackRegistration({ db, origin }, deed.system, nameOf(pool, deed)),
  'save domain': (db, origin, { pool }, { numbers, secrets: [disputePassword] }) =>
    saveDomain({ db, origin }, domainOf(pool, numbers), { disputePassword }),
  'save domains': (db, origin, { pool }, { numbers: [a, b, c] }) => {
    const some: Numbers[] = [
      [a, b, c],
      [b, c, a],
    ];
    const wanted = some.map(
      (each) => [at(pool.names, each[0]).name, wantedFor(pool, each)] as const,
    );
    return saveDomains({ db, origin }, new Map(wanted));
  },
  'delete domain': (db, origin, { pool }, deed) =>
    removeDomains({ db, origin }, [nameOf(pool, deed).name]),
  'release domain': (db, origin, { pool }, deed) =>
    releaseDomain({ db, origin }, nameOf(pool, deed)),
  'sell name': (db, origin, { pool }, deed) =>
    startAuction({ db, origin }, nameOf(pool, deed), null),
  'reserve name': (db, origin, { pool }, deed) => {
    const lastDay = at([null, undefined, dayIn(deed.now, 0), dayIn(deed.now, 2)], deed.numbers[1]);
    const password = at([undefined, crypto.randomUUID()], deed.numbers[2]);
    return saveRetainedDomain({ db, origin }, nameOf(pool, deed), 'reserved', {
      lastDay,
      password,
    });
  },
};

/** Those of the auction centre, of registrars, of the cron, and of moving in; the rest is the operator's. */
export const byOthers: Record<string, Command> = {
  async 'report on auction'(db, origin, { pool, reports }, { numbers: [a, b, c], now }) {
    const auction = (await readRows(db, pool)).get(at(pool.names, a).name)!.auctions.at(-1);
    if (!auction) return;
    const deadlines = [
      null,
      undefined,
      dayIn(now, 0),
      new Date(now.getTime() + hour).toISOString(),
    ];
    const status = b % 2 === 0 ? 'payment_received' : at(reportableStatuses, c);
    const report = { status, registrationDeadline: at(deadlines, c) };
    reports.push({ uuid: auction.uuid, report });
    await updateAuction({ db, origin }, auction.uuid, report, ['no_bids', 'payment_not_received']);
  },
  /** The auction centre repeats whatever it has reported, at any later time. */
  async 'repeat report'(db, origin, { reports }, { numbers: [a, b] }) {
    if (reports.length === 0) return;
    const { uuid, report } = at(reports, a + b);
    await updateAuction({ db, origin }, uuid, report, ['no_bids', 'payment_not_received']);
  },
  'create contact': (db, { request }, { pool }, { numbers: [a, b] }) =>
    createContact(
      { db, login: at(pool.logins, a), request },
      { ...contactValues, ...personOf(String(1 + (b % 3))), code: String(1 + (b % 3)) },
    ),
  'update own contact': (db, { request }, { pool }, { numbers: [a, b] }) =>
    updateContact({ db, login: loginFor(pool, a), request }, at(pool.codes, a), () => ({
      city: `Linn ${b}`,
    })),
  'delete own contact': (db, { request }, { pool }, { numbers: [a] }) =>
    deleteContact({ db, login: loginFor(pool, a), request }, at(pool.codes, a)),
  async clean(db, { request }) {
    await endReservations(db, request);
    await forgetRegistrations(db, request.at);
  },
};

export const byOperator: Record<string, Command> = {
  ...Object.fromEntries(
    Object.entries(everyCommand).map(([kind, command]): [string, Command] => [
      kind,
      (db, origin, { pool }, { numbers }) => command(db, origin, pool, numbers),
    ]),
  ),
  'open dispute with a password': (db, origin, { pool }, deed) => {
    const [, b, c] = deed.numbers;
    const days = { firstDay: dayIn(deed.now, b % 2), lastDay: dayIn(deed.now, 1 + (c % 3)) };
    const dispute = { ...nameOf(pool, deed), ...days, password: crypto.randomUUID() };
    return openDispute({ db, origin }, dispute);
  },
  async undo(db, origin, { past }, { numbers: [a] }) {
    const request = past.at(-1 - (a % 4));
    if (request) await revert({ db, origin }, await planRevert({ db, origin }, request));
  },
};
