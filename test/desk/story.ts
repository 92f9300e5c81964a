import { isDeepStrictEqual } from 'node:util';

/** What a registry has been through, as somebody knows who was there all the time. Nothing here is read from the registry. */

export const day = 86_400_000;
export const dayAfter = (now: Date, days: number) =>
  new Date(now.getTime() + days * day).toISOString().slice(0, 10);

/** The first has a second code, with which they are registered by mistake; the last two have the same birthday. */
export const humans = [
  {
    name: 'Mari Maasikas',
    idents: ['AA1001', 'AA1009'],
    emails: ['mari@a.example', 'mari@b.example'],
    phones: ['+372.5551001', '+372.5551002'],
  },
  { name: 'Jaan Kuusk', idents: ['BB2001'], emails: ['jaan@a.example'], phones: ['+372.5552001'] },
  { name: 'Liis Paju', idents: ['CC3001'], emails: ['liis@a.example'], phones: ['+372.5553001'] },
  {
    name: 'Piret Saar',
    idents: ['1980-01-01'],
    emails: ['piret@a.example'],
    phones: ['+372.5554001'],
  },
  {
    name: 'Rein Sepp',
    idents: ['1980-01-01'],
    emails: ['rein@a.example'],
    phones: ['+372.5555001'],
  },
];
export const isBirthday = (ident: string) => ident.includes('-');

export interface Version {
  at: Date;
  human: number;
  ident: string;
  email: string;
  phone: string;
}
export interface StoryContact {
  uuid: string;
  code: string;
  registrar: string;
  versions: Version[];
  /** The contact of which it is a copy, as far back as they go. */
  lineage: string;
  /** Since when no domain refers to it; undefined while one does. */
  unlinkedAt?: Date | undefined;
  demand?: { claims: string[]; by: string } | undefined;
  goneAt?: Date | undefined;
  goneBy?: 'operator' | 'cron';
  isErased?: boolean;
  erasedAt?: Date;
  looks: { by: string; isRecorded: boolean; at: Date }[];
}
export interface StoryDisclosure {
  id: number;
  uuid: string;
  human: number;
  ident: string;
  organization: string;
  isConfidential: boolean;
  askedAt: Date;
  visibleAfter?: Date;
  outcome?: string;
  at?: Date;
}
export interface Stay {
  registrar: string;
  registrant: string;
  others: string[];
  /** In the world. */
  since: Date;
  recordedAt: Date;
  withRegistrarSince: Date;
  heldSince: Date;
  byWinner: boolean;
  /** Its removal was taken back. */
  againSince?: Date;
  until?: Date | undefined;
}
export interface StoryAuction {
  statuses: { status: string; at: Date; byReport: boolean }[];
  deadline?: string | null;
  isCancelled?: boolean;
}
export interface StoryName {
  stays: Stay[];
  retained: { status: string; lastDay: string | null; from: Date; until?: Date | undefined }[];
  disputes: {
    firstDay: string;
    lastDay: string;
    openedAt: Date;
    closedAt?: Date | undefined;
    isRemoved?: boolean;
  }[];
  auctions: StoryAuction[];
}

/** A registrar with its only API user and its webhook. */
export interface Account {
  user: string;
  suspendedAt?: Date | undefined;
  isUserDisabled?: boolean;
  certificateEnds?: Date;
  webhook?: {
    failedAt?: Date | undefined;
    /** The receiver's notifications, by id; those that were never attempted it can't know. */
    seen: Map<string, { at: Date; state: 'missing' | 'given up' | 'arrived' }>;
  };
}
export const listed = ['auctions', 'reserved', 'blocked', 'disputed'] as const;
/** The names of each public list. */
export type Lists = Record<(typeof listed)[number], string[]>;

export function newStory(accounts: Map<string, Account>) {
  return {
    accounts,
    registrars: [...accounts.keys()],
    /** As the last scheduled run published them, and when each has changed since. */
    published: { auctions: [], reserved: [], blocked: [], disputed: [] } as Lists,
    changed: new Map<string, Date>(),
    contacts: [] as StoryContact[],
    /** The registrars whose users have changed something, and how often. */
    changedBy: [] as string[],
    disclosures: [] as StoryDisclosure[],
    names: new Map<string, StoryName>(['esimene.ee', 'teine.ee'].map((name) => [name, noLife()])),
  };
}
export type Story = ReturnType<typeof newStory>;
export const noLife = (): StoryName => ({ stays: [], retained: [], disputes: [], auctions: [] });

export const nowOf = (one: StoryContact) => one.versions.at(-1)!;
export const present = (story: Story) => story.contacts.filter(({ goneAt }) => !goneAt);
export const stayOf = (one: StoryName) => one.stays.find(({ until }) => !until);
export const statusOf = (one: StoryAuction) => one.statuses.at(-1)!.status;
export const disputeAt = ({ disputes }: StoryName, today: string) =>
  disputes.find(
    (one) => !one.isRemoved && !one.closedAt && one.firstDay <= today && today <= one.lastDay,
  );
export const retainedAt = ({ retained }: StoryName, today: string) =>
  retained.filter((one) => !one.until && (one.lastDay === null || one.lastDay >= today));

export const lastAuctionOf = ({ auctions }: StoryName) =>
  auctions.findLast(({ isCancelled }) => !isCancelled);
const holding = ['started', 'awaiting_payment', 'payment_received'];
export const heldBy = (one: StoryName) =>
  [lastAuctionOf(one)].find((last) => last && holding.includes(statusOf(last)));

/** What the public lists should have on a day. */
export function listsOf({ names }: Story, today: string): Lists {
  const lives = [...names];
  const named = (isIn: (one: StoryName) => unknown) =>
    lives.filter(([, life]) => isIn(life)).map(([name]) => name);
  // Until the scheduled run, the lists have a reservation whose last day is over.
  const retained = (status: string) =>
    named((one) => one.retained.some((each) => each.status === status && !each.until));
  return {
    auctions: named((one) => lastAuctionOf(one) && statusOf(lastAuctionOf(one)!) === 'started'),
    reserved: retained('reserved'),
    blocked: retained('blocked'),
    disputed: named((one) => disputeAt(one, today)),
  };
}
export const staysOf = ({ names }: Story) =>
  [...names.values()].flatMap((one) => stayOf(one) ?? []);
/** The contacts of domains. */
const linkedIn = (story: Story) =>
  new Set(staysOf(story).flatMap((one) => [one.registrant, ...one.others]));
/** Of one person, as far as the registry can know: those with the same birthday may be two. */
export const isSamePerson = (one: StoryContact, other: StoryContact) =>
  nowOf(one).ident === nowOf(other).ident &&
  (!isBirthday(nowOf(one).ident) ||
    nowOf(one).human === nowOf(other).human ||
    one.lineage === other.lineage);

/** After each deed. */
export function settle(story: Story, before: Story, now: Date): void {
  const linked = linkedIn(story);
  for (const one of story.contacts) {
    // Another registrar has as much time with it.
    const old = before.contacts.find(({ uuid }) => uuid === one.uuid);
    if (linked.has(one.uuid)) one.unlinkedAt = undefined;
    else if (!one.unlinkedAt || (old && old.registrar !== one.registrar)) one.unlinkedAt = now;
  }
  const today = dayAfter(now, 0);
  const [was, is] = [sourcesOf(before, today), sourcesOf(story, today)];
  for (const list of listed)
    if (was[list] !== is[list] && !story.changed.has(list)) story.changed.set(list, now);
}

/** Of each list, what its source has: also days to come, and another auction of the same name. */
export function sourcesOf(story: Story, today: string): Record<keyof Lists, string> {
  const lists = listsOf(story, today);
  const lives = [...story.names.values()];
  const others = {
    disputed: lives.map(({ disputes }) => disputes),
    auctions: lives.map(({ auctions }) => auctions.length),
    ...{ reserved: [], blocked: [] },
  };
  const of = (list: keyof Lists) => JSON.stringify([lists[list], others[list]]);
  return {
    ...{ auctions: of('auctions'), reserved: of('reserved') },
    ...{ blocked: of('blocked'), disputed: of('disputed') },
  };
}

/** Takes back what a request did to the story. The registry keeps that it happened. */
export function takeBack(
  story: Story,
  { before, after }: Record<'before' | 'after', Story>,
  now: Date,
) {
  for (const [name, life] of story.names) {
    const [was, became] = [before.names.get(name)!, after.names.get(name)!];
    for (const [n, stay] of life.stays.entries()) {
      const [old, made] = [was.stays[n], became.stays[n]];
      if (!made) continue;
      if (!made.until && (!old || old.until)) stay.until = now;
      else if (made.until && !old!.until)
        Object.assign(stay, {
          until: undefined,
          againSince: now,
          withRegistrarSince: now,
          heldSince: now,
        });
      else if (old && (made.registrar !== old.registrar || made.registrant !== old.registrant)) {
        if (made.registrar !== old.registrar) stay.withRegistrarSince = now;
        if (made.registrant !== old.registrant) stay.heldSince = now;
        const { registrar, registrant, others } = old;
        Object.assign(stay, { registrar, registrant, others: [...others] });
      }
    }
    for (const [n, one] of life.retained.entries()) {
      const [old, made] = [was.retained[n], became.retained[n]];
      if (made && !made.until && (!old || old.until)) one.until = now;
      else if (made?.until && !old!.until) one.until = undefined;
    }
    for (const [n, one] of life.disputes.entries()) {
      const [old, made] = [was.disputes[n], became.disputes[n]];
      if (made && !made.isRemoved && (!old || old.isRemoved)) one.isRemoved = true;
      else if (made?.isRemoved && !old!.isRemoved) one.isRemoved = false;
      else if (made?.closedAt && !old!.closedAt) one.closedAt = undefined;
      else if (made && old?.closedAt && !made.closedAt) one.closedAt = now;
    }
    for (const [n, one] of life.auctions.entries()) {
      const [old, made] = [was.auctions[n], became.auctions[n]];
      if (made && !old) one.isCancelled = true;
      else if (made?.isCancelled !== old?.isCancelled) one.isCancelled = old!.isCancelled ?? false;
    }
  }
  const linked = linkedIn(story);
  for (const one of story.contacts) {
    const isIt = ({ uuid }: StoryContact) => uuid === one.uuid;
    const [was, became] = [before.contacts.find(isIt), after.contacts.find(isIt)];
    if (!became) continue;
    const wasThere = was && !was.goneAt;
    // A copy that another domain uses stays.
    if (!became.goneAt && !wasThere && !linked.has(one.uuid))
      Object.assign(one, { goneAt: now, goneBy: 'operator' });
    else if (became.goneAt && wasThere) Object.assign(one, { goneAt: undefined, unlinkedAt: now });
    if (!was) continue;
    if (became.versions.length > was.versions.length) one.versions.push({ ...nowOf(was), at: now });
    if (became.registrar !== was.registrar) one.registrar = was.registrar;
    if (!isDeepStrictEqual(became.demand, was.demand)) one.demand = was.demand;
  }
}
