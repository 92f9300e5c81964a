import { and, asc, eq, inArray } from 'drizzle-orm';
import { expect } from 'vitest';
import {
  auctions,
  contacts,
  disputes,
  domainContacts,
  domains,
  retainedDomains,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../../src/base/database/open.ts';
import { loadDomains, type StoredDomain } from '../../../src/name/domain/read.ts';
import type { Pool } from '../../support/random-changes.ts';

/** What the registry has of one name. */
interface NameRows {
  domain: StoredDomain | undefined;
  /** The identity code of the registrant. */
  person: string | undefined;
  retained: (typeof retainedDomains.$inferSelect)[];
  disputes: (typeof disputes.$inferSelect)[];
  auctions: (typeof auctions.$inferSelect)[];
}

export async function readRows(
  db: Database,
  { names }: Pick<Pool, 'names'>,
): Promise<Map<string, NameRows>> {
  const texts = names.map(({ name }) => name);
  const [kept, disputed, sold, held] = await db.batch([
    db.select().from(retainedDomains).where(inArray(retainedDomains.name, texts)),
    db.select().from(disputes).where(inArray(disputes.name, texts)).orderBy(asc(disputes.id)),
    db.select().from(auctions).where(inArray(auctions.name, texts)).orderBy(asc(auctions.id)),
    db
      .select({ name: domains.name, person: contacts.identKey })
      .from(domains)
      .innerJoin(
        domainContacts,
        and(eq(domainContacts.domainId, domains.id), eq(domainContacts.role, 'registrant')),
      )
      .innerJoin(contacts, eq(contacts.id, domainContacts.contactId))
      .where(inArray(domains.name, texts)),
  ]);
  const present = await loadDomains(db, texts);
  const rows = texts.map((text): [string, NameRows] => {
    const isOfName = ({ name }: { name: string }) => name === text;
    const retained = kept.filter(isOfName);
    const others = { disputes: disputed.filter(isOfName), auctions: sold.filter(isOfName) };
    const person = held.find(isOfName)?.person;
    return [text, { domain: present.get(text), person, retained, ...others }];
  });
  return new Map(rows);
}

const hour = 60 * 60 * 1000;
const dayOf = (now: Date) => now.toISOString().slice(0, 10);

const disputeOf = ({ disputes }: NameRows, day: string) =>
  disputes.find(({ firstDay, lastDay, closedAt }) => {
    return firstDay <= day && day <= lastDay && closedAt === null;
  });
/** The calendar ends a reservation, before the cron removes it. */
const inForce = ({ retained }: NameRows, now: Date) =>
  retained.filter(({ lastDay }) => lastDay === null || lastDay >= dayOf(now));
const open = ['started', 'awaiting_payment', 'payment_received'];
const auctionOf = ({ auctions }: NameRows) =>
  auctions.findLast(({ status }) => open.includes(status));

/** The secrets that a registration of the name must present at this time; undefined if none would do. */
function secretsFor(rows: NameRows, now: Date): string[] | undefined {
  const [dispute, auction] = [disputeOf(rows, dayOf(now)), auctionOf(rows)];
  const retained = inForce(rows, now);
  const reservation = retained.find(({ status }) => status === 'reserved');
  if (rows.domain || rows.retained.some(({ status }) => status === 'blocked')) return undefined;
  if (auction && auction.status !== 'payment_received') return undefined;
  const end = auction?.registrationDeadline ?? '9999-12-31';
  if (now > new Date(end.length === 10 ? `${end}T23:59:59.999Z` : end)) return undefined;
  const needed = [
    ...(dispute ? [dispute.password] : []),
    ...(auction ? [auction.registrationCode] : []),
    ...(reservation && !dispute && !auction ? [reservation.password] : []),
  ];
  return needed.every((secret) => secret !== null) ? needed : undefined;
}

/** Whether the name may be put up for auction once it has no domain. */
const maySell = (rows: NameRows, now: Date) =>
  inForce(rows, now).length === 0 && !disputeOf(rows, dayOf(now)) && !auctionOf(rows);

/** Whether a report may put the name up again: a reservation does not stand in its way. */
const mayRestart = (rows: NameRows, now: Date) =>
  !rows.domain &&
  !disputeOf(rows, dayOf(now)) &&
  rows.retained.every(({ status }) => status !== 'blocked');

const secretsIn = ({ retained, disputes, auctions }: NameRows) =>
  [...disputes.toReversed(), ...retained]
    .map(({ password }) => password)
    .concat(auctions.map(({ registrationCode }) => registrationCode))
    .filter((secret) => secret !== null);

/** What somebody does at a time, and with what. */
export interface Deed {
  kind: string;
  now: Date;
  /** Of the system that does it. */
  systemId: number;
  /** What a registration presents. */
  secrets: readonly string[];
  /** Whether it has made a domain, as the rows show. */
  hasMade: boolean;
}

/** Those that may make a domain without asking what stands in its way: it is there already. */
const reporting = [
  ...['save domain', 'save domains', 'import domains', 'import contacts and a domain'],
  'undo',
];
const removing = [
  ...['take back', 'save domains', 'delete domain', 'release domain', 'remove domains'],
  'undo',
];
const selling = ['sell name', 'release domain', 'start auction'];
const reports = ['report on auction', 'repeat report'];
const restarting = [...reports, 'correct auction', 'undo'];
/** Those that open an auction again which has ended with a registration: no report does. */
const reopening = ['take back', 'correct auction', 'undo'];

const withoutVersions = ({ auctions, ...others }: NameRows, now: Date) => ({
  ...others,
  retained: inForce(others as NameRows, now),
  auctions: auctions.map(({ version, updatedAt, ...rest }) => rest),
});

/** Sees every change of the names as it is made, and holds it to what the rules allow, which it reads from the rows alone. */
export async function newWitness(db: Database, pool: Pick<Pool, 'names'>) {
  let rows = await readRows(db, pool);
  const used = new Set<string>();
  const seen = new Map(pool.names.map(({ name }) => [name, new Set<string>()]));
  const registered = new Map<
    string,
    { deed: Deed; needed: string[]; before: NameRows; after: NameRows }
  >();
  const counts = { registered: 0, used: 0, takenBack: 0, sold: 0, handedOver: 0 };

  function judgeCreation(name: string, before: NameRows, after: NameRows, deed: Deed) {
    deed.hasMade = true;
    if (deed.kind !== 'register') return expect(reporting).toContain(deed.kind);
    const needed = secretsFor(before, deed.now);
    expect(deed.secrets).toEqual(expect.arrayContaining(needed ?? ['nothing would do']));
    for (const secret of needed!) {
      expect(used).not.toContain(secret);
      expect(secretsFor({ ...after, domain: undefined }, deed.now) ?? []).not.toContain(secret);
      used.add(secret);
      counts.used += 1;
    }
    expect(after.domain!.registrant).not.toBeNull();
    registered.set(name, { deed, needed: needed!, before, after });
    counts.registered += 1;
  }

  function judgeRemoval(name: string, before: NameRows, after: NameRows, deed: Deed) {
    expect(removing).toContain(deed.kind);
    const registration = registered.get(name)!;
    registered.delete(name);
    if (deed.kind !== 'take back') return;
    expect(registration.deed.systemId).toBe(deed.systemId);
    expect(deed.now.getTime() - registration.deed.now.getTime()).toBeLessThanOrEqual(24 * hour);
    expect({ ...before, retained: inForce(before, deed.now) }).toEqual({
      ...registration.after,
      retained: inForce(registration.after, deed.now),
    });
    expect(withoutVersions(after, deed.now)).toEqual(
      withoutVersions(registration.before, deed.now),
    );
    for (const secret of registration.needed) used.delete(secret);
    counts.takenBack += 1;
  }

  /** A contact that a domain refers to does not go; what moved in without one may be given that back. */
  function judgeContacts(before: NameRows, after: NameRows, { kind }: Deed) {
    if (!before.domain?.registrant || !after.domain || kind === 'undo') return;
    expect(after.domain.registrant).not.toBeNull();
  }

  /** While a dispute is in force, a domain stays with its person; the password of the dispute ends it. */
  function judgePerson(before: NameRows, after: NameRows, { kind, now, secrets }: Deed) {
    const dispute = disputeOf(before, dayOf(now));
    if (!dispute || !before.domain || !after.domain || before.person === after.person) return;
    expect(kind).toBe('save domain');
    expect(secrets).toContain(dispute.password);
    expect(disputeOf(after, dayOf(now))).toBeUndefined();
    counts.handedOver += 1;
  }

  function judge(name: string, before: NameRows, after: NameRows, deed: Deed) {
    if (!before.domain && after.domain) judgeCreation(name, before, after, deed);
    if (before.domain && !after.domain) judgeRemoval(name, before, after, deed);
    judgeContacts(before, after, deed);
    judgePerson(before, after, deed);
    const registeredBefore = before.auctions.filter(({ status }) => status === 'domain_registered');
    if (!reopening.includes(deed.kind)) {
      expect(after.auctions).toEqual(expect.arrayContaining(registeredBefore));
    }
    const sold = after.auctions.find(({ id, status }) => {
      return status === 'started' && !before.auctions.some((auction) => auction.id === id);
    });
    if (sold && reports.includes(deed.kind)) expect(mayRestart(before, deed.now)).toBe(true);
    if (!sold || restarting.includes(deed.kind)) return;
    expect(selling).toContain(deed.kind);
    expect(before.domain === undefined || deed.kind === 'release domain').toBe(true);
    expect(maySell(before, deed.now)).toBe(true);
    counts.sold += 1;
  }

  return {
    counts,
    /** Looks at the rows after a change that this deed may have made. */
    async look(deed: Deed) {
      const now = await readRows(db, pool);
      for (const [name, after] of now) {
        judge(name, rows.get(name)!, after, deed);
        for (const secret of secretsIn(after)) seen.get(name)!.add(secret);
      }
      rows = now;
    },
    /** The secrets of the name now, and all that it has ever had. */
    secretsOf: (name: string) => ({
      present: secretsIn(rows.get(name)!),
      everSeen: [...seen.get(name)!],
    }),
    /** Whether this is worth while for the name. */
    isOccasion(kind: string, name: string) {
      const { domain, auctions, disputes } = rows.get(name)!;
      const isDisputed = disputes.some(({ closedAt, password }) => password && closedAt === null);
      if (kind === 'save domain') return domain !== undefined && isDisputed;
      if (kind === 'take back') return registered.has(name);
      if (kind === 'report on auction') return auctions.length > 0;
      return (kind === 'register' || kind === 'sell name') === (domain === undefined);
    },
  };
}
