import { eq } from 'drizzle-orm';
import { auctions, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { Env } from '../../src/base/env.ts';
import type { Operation } from '../../src/change/origin.ts';
import { deleteAnyContact, updateAnyContact } from '../../src/contact/operator/administer.ts';
import {
  declineDisclosure,
  grantDisclosure,
  openDisclosure,
} from '../../src/contact/operator/disclosure/disclosure.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { importContacts } from '../../src/contact/operator/import.ts';
import { transferContact } from '../../src/contact/operator/transfer.ts';
import { updateContact, updateContactOfPerson } from '../../src/contact/update.ts';
import { demandVerification } from '../../src/contact/verification/operator/demand.ts';
import { recordLooks } from '../../src/desk/guard.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { correctAuction } from '../../src/name/auction/operator/correct.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { updateDomain } from '../../src/name/domain/operator/update.ts';
import { removeDomains } from '../../src/name/domain/save.ts';
import { transferDomain } from '../../src/name/domain/transfer.ts';
import { registerDomain } from '../../src/name/registration/register.ts';
import { removeRetainedDomains } from '../../src/name/retained/change-names.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { closeDispute, openDispute } from '../../src/name/retained/operator/dispute.ts';
import {
  bindCertificate,
  requireCertificate,
} from '../../src/party/credential/operator/certificate.ts';
import { setHolderDisabled } from '../../src/party/credential/operator/holder.ts';
import type { Login } from '../../src/party/registrar/login.ts';
import { updateRegistrar } from '../../src/party/registrar/operator/account.ts';
import { sendDeliveries } from '../../src/party/webhook/deliver.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import { runCron } from '../../src/worker/cron.ts';
import {
  day,
  dayAfter,
  humans,
  isBirthday,
  lastAuctionOf,
  listsOf,
  nowOf,
  present,
  type Story,
  statusOf,
  stayOf,
  takeBack,
  type Version,
} from './story.ts';

interface Given {
  db: Database;
  operation: Operation;
  story: Story;
  now: Date;
  system: { id: number };
  /** Of the registrars, in their order. */
  owners: { id: number; login: Login }[];
  env: Env;
  /** The requests so far, with the story before and after each. */
  requests: readonly { id: string; before: Story; after: Story }[];
}
type Deed = (given: Given, a: number, b: number, c: number) => Promise<unknown>;

const at = <Item>(items: readonly Item[], n: number): Item | undefined => items[n % items.length];
const nameAt = ({ story }: Given, n: number) => {
  const name = at([...story.names.keys()], n)!;
  return { name, parsed: parseDomainName(name), life: story.names.get(name)! };
};
const valuesOf = (human: number, variant: number, now: Date): Version => {
  const { idents, emails, phones } = humans[human]!;
  const ident = at(idents, variant)!;
  return { at: now, human, ident, email: at(emails, variant)!, phone: at(phones, variant)! };
};
const columnsOf = ({ human, ident, email, phone }: Version) => ({
  ...{ ident, email, phone, name: humans[human]!.name, identCountryCode: 'FI' },
  identType: isBirthday(ident) ? 'birthday' : 'priv',
});
const byCode = (story: Story, code: string) => present(story).find((one) => one.code === code)!;

export const deeds: Record<string, Deed> = {
  async 'create contact'({ operation, story, now }, a, b, c) {
    const registrar = at(story.registrars, a)!;
    const code = `${registrar}:${1 + (b % 2)}`;
    const version = valuesOf(c % humans.length, 0, now);
    const uuid = crypto.randomUUID();
    if (present(story).some((one) => one.code === code)) return;
    await importContacts(operation, [{ ...columnsOf(version), code, registrar, uuid }]);
    story.contacts.push({ uuid, lineage: uuid, code, registrar, versions: [version], looks: [] });
  },
  async 'other person'({ operation, story, now }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const version = valuesOf(b % humans.length, 0, now);
    await updateAnyContact(operation, one.code, columnsOf(version));
    one.versions.push(version);
  },
  /** The same human: a code that was wrong, and another address. */
  async 'other code and address'({ operation, story, now }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const version = valuesOf(nowOf(one).human, b, now);
    await updateAnyContact(operation, one.code, columnsOf(version));
    one.versions.push(version);
  },
  async 'delete contact'({ operation, story, now }, a) {
    const one = at(present(story), a);
    if (!one) return;
    await deleteAnyContact(operation, one.code);
    Object.assign(one, { goneAt: now, goneBy: 'operator' });
  },
  async 'erase contact'({ operation, story, now }, a) {
    const one = at(story.contacts, a);
    if (!one) return;
    await eraseContact(operation, one.uuid);
    one.goneAt ??= now;
    one.goneBy ??= 'operator';
    one.isErased = true;
    one.erasedAt ??= now;
  },
  async 'transfer contact'({ operation, story }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const registrar = at(story.registrars, b)!;
    await transferContact(operation, one.code, registrar);
    one.registrar = registrar;
  },
  async 'move domain in'(given, a, b, c) {
    const { operation, story, now } = given;
    const { parsed, life } = nameAt(given, a);
    const [holder, other] = [at(present(story), b), at(present(story), c)];
    if (!holder || !other || stayOf(life)) return;
    const { registrar } = holder;
    const tech = other === holder ? [] : [other.code];
    await importDomains(operation, [
      { ...parsed, registrar, registrant: holder.code, admin: [], tech },
    ]);
    const times = { recordedAt: now, withRegistrarSince: now, heldSince: now };
    // It was registered years ago, elsewhere.
    const since = new Date('2019-02-03T04:05:00Z');
    life.stays.push({
      ...times,
      ...{ registrar, registrant: holder.uuid, since, byWinner: false },
      others: tech.length > 0 ? [other.uuid] : [],
    });
  },
  async 'other holder'(given, a, b) {
    const { operation, story, now } = given;
    const { parsed, life } = nameAt(given, a);
    const [stay, holder] = [stayOf(life), at(present(story), b)];
    if (!stay || !holder) return;
    await updateDomain(operation, parsed, { registrant: holder.code });
    if (stay.registrant !== holder.uuid)
      Object.assign(stay, { registrant: holder.uuid, heldSince: now });
  },
  async 'transfer domain'(given, a, b) {
    const { operation, story, now, db } = given;
    const { parsed, life } = nameAt(given, a);
    const stay = stayOf(life);
    const registrar = at(story.registrars, b)!;
    if (!stay || stay.registrar === registrar) return;
    const { copies } = await transferDomain(operation, parsed, registrar);
    const uuids = new Map<string, string>();
    for (const [from, code] of Object.entries(copies)) {
      const source = byCode(story, from);
      if (!present(story).some((one) => one.code === code)) {
        const [row] = await db
          .select({ uuid: contacts.uuid })
          .from(contacts)
          .where(eq(contacts.code, code));
        const version = { ...nowOf(source), at: now };
        const { uuid } = row!;
        const { lineage } = source;
        story.contacts.push({ uuid, lineage, code, registrar, versions: [version], looks: [] });
      }
      uuids.set(source.uuid, byCode(story, code).uuid);
    }
    Object.assign(stay, {
      ...{ registrar, withRegistrarSince: now },
      registrant: uuids.get(stay.registrant) ?? stay.registrant,
      others: stay.others.map((uuid) => uuids.get(uuid) ?? uuid),
    });
  },
  async 'remove domain'(given, a) {
    const { name, life } = nameAt(given, a);
    const stay = stayOf(life);
    if (!stay) return;
    await removeDomains(given.operation, [name]);
    stay.until = given.now;
  },
  async 'retain name'(given, a, b, c) {
    const { parsed, life } = nameAt(given, a);
    const status = b % 2 === 0 ? ('reserved' as const) : ('blocked' as const);
    const lastDay = status === 'reserved' ? at([null, dayAfter(given.now, 5)], c)! : null;
    if (life.retained.some((one) => one.status === status && !one.until)) return;
    await addRetainedDomains(given.operation, [{ ...parsed, status, lastDay }]);
    life.retained.push({ status, lastDay, from: given.now });
  },
  async 'release name'(given, a, b) {
    const { parsed, life } = nameAt(given, a);
    const status = b % 2 === 0 ? ('reserved' as const) : ('blocked' as const);
    const one = life.retained.find((each) => each.status === status && !each.until);
    if (!one) return;
    await removeRetainedDomains(given.operation, [{ ...parsed, status, lastDay: null }]);
    one.until = given.now;
  },
  async 'open dispute'(given, a, b, c) {
    const { parsed, life } = nameAt(given, a);
    const firstDay = dayAfter(given.now, at([0, 0, -30, 20], b)!);
    const lastDay = dayAfter(given.now, at([30, 60], c)!);
    await openDispute(given.operation, { ...parsed, firstDay, lastDay });
    life.disputes.push({ firstDay, lastDay, openedAt: given.now });
  },
  async 'close dispute'(given, a) {
    const { parsed, life } = nameAt(given, a);
    await closeDispute(given.operation, { name: parsed.name, reason: 'settled' });
    const open = life.disputes.filter(
      (one) => !one.isRemoved && !one.closedAt && one.lastDay >= dayAfter(given.now, 0),
    );
    open.sort((x, y) => (x.firstDay < y.firstDay ? -1 : 1));
    open[0]!.closedAt = given.now;
  },
  async 'start auction'(given, a) {
    const { parsed, life } = nameAt(given, a);
    await startAuctions(given.operation, [parsed]);
    life.auctions.push({ statuses: [{ status: 'started', at: given.now, byReport: false }] });
  },
  async 'report on auction'(given, a, b, c) {
    const { db, operation, now } = given;
    const { name, life } = nameAt(given, a);
    const last = lastAuctionOf(life);
    const rows = await db.select().from(auctions).where(eq(auctions.name, name));
    if (!last || rows.length === 0) return;
    const known = life.auctions.filter(({ isCancelled }) => !isCancelled).length;
    const status = at(
      ['awaiting_payment', 'payment_received', 'no_bids', 'payment_not_received'] as const,
      b,
    )!;
    const registrationDeadline = at([undefined, dayAfter(now, 7)], c);
    const report = { status, registrationDeadline };
    if (['domain_registered', status].includes(statusOf(last))) return;
    await updateAuction(operation, rows.at(-1)!.uuid, report, [
      'payment_not_received',
      'domain_not_registered',
    ]);
    last.statuses.push({ status, at: now, byReport: true });
    if (registrationDeadline) last.deadline = registrationDeadline;
    const after = await db.select().from(auctions).where(eq(auctions.name, name));
    if (after.length > known)
      life.auctions.push({ statuses: [{ status: 'started', at: now, byReport: true }] });
  },
  async 'correct auction'(given, a, b) {
    const { name, life } = nameAt(given, a);
    const last = lastAuctionOf(life);
    const status = at(['started', 'no_bids', 'payment_received'] as const, b)!;
    if (!last || statusOf(last) === status) return;
    await correctAuction(given.operation, { auction: name, status, reason: 'test' });
    last.statuses.push({ status, at: given.now, byReport: false });
  },
  async 'cancel auction'(given, a) {
    const { name, life } = nameAt(given, a);
    await cancelAuction(given.operation, { auction: name, reason: 'test' });
    const last = lastAuctionOf(life)!;
    last.isCancelled = true;
  },
  async 'winner registers'(given, a, b) {
    const { db, operation, story, now, system } = given;
    const { name, parsed, life } = nameAt(given, a);
    const holder = at(present(story), b);
    const [row] = (await db.select().from(auctions).where(eq(auctions.name, name))).reverse();
    if (!holder || !row?.registrationCode) return;
    const { registrar } = holder;
    const record = { ...parsed, registrar, registrant: holder.code, admin: [], tech: [] };
    if (!(await registerDomain(operation, system, record, [row.registrationCode])).isNew) return;
    lastAuctionOf(life)!.statuses.push({ status: 'domain_registered', at: now, byReport: false });
    const times = { since: now, recordedAt: now, withRegistrarSince: now, heldSince: now };
    life.stays.push({ ...times, registrar, registrant: holder.uuid, others: [], byWinner: true });
  },
  async 'ask for data'({ operation, story, now }, a, b, c) {
    const one = at(present(story), a);
    if (!one) return;
    const { organization, isConfidential } = at(
      [
        { organization: 'Police', isConfidential: false },
        { organization: 'Tax Board', isConfidential: true },
      ],
      b,
    )!;
    const { id } = await openDisclosure(operation, {
      ...{ contact: one.code, requester: 'Uurija', identifiedBy: 'ID card', organization },
      ...{ basis: 'case', isConfidential, receivedAt: now },
      requestedFields: at(
        [
          ['name', 'email'],
          ['name', 'fax'],
        ],
        c,
      )!,
    });
    story.disclosures.push({
      id,
      uuid: one.uuid,
      human: nowOf(one).human,
      ident: nowOf(one).ident,
      organization,
      isConfidential,
      askedAt: now,
    });
  },
  async 'give data'({ operation, story, now }, a, b) {
    // Of a contact that is gone, nothing can be given.
    const uuids = present(story).map(({ uuid }) => uuid);
    const one = at(
      story.disclosures.filter(({ outcome, uuid }) => !outcome && uuids.includes(uuid)),
      a,
    );
    if (!one) return;
    const visibleAfter =
      !one.isConfidential && b > 0 ? new Date(now.getTime() + 90 * day) : undefined;
    await grantDisclosure(operation, one.id, { fields: ['name'], visibleAfter });
    Object.assign(one, { outcome: 'granted', at: now, visibleAfter });
  },
  async 'refuse data'({ operation, story, now }, a) {
    const one = at(
      story.disclosures.filter(({ outcome }) => !outcome),
      a,
    );
    if (!one) return;
    await declineDisclosure(operation, one.id, { outcome: 'refused', explanation: 'no basis' });
    Object.assign(one, { outcome: 'refused', at: now });
  },
  async 'registrar changes its contact'({ db, operation, story, owners }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const { login } = owners[story.registrars.indexOf(one.registrar)]!;
    await updateContact({ db, login, request: operation.origin.request }, one.code, () => ({
      city: `Linn ${b} ${Date.now()}`,
    }));
    story.changedBy.push(one.registrar);
  },
  async look({ story, env, now }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    // The desk on a machine of the registry, and the tool, record nothing.
    const isRecorded = b % 2 === 0;
    if (isRecorded)
      await recordLooks(env.DB, [{ subject: 'contact', key: one.uuid }], 'kati@r.example', now);
    one.looks.push({ by: 'kati', isRecorded, at: now });
  },
  /** Of one of the last requests, if it can be taken back. */
  async undo({ operation, story, now, requests }, a) {
    const one = at(requests.slice(-3).reverse(), a);
    if (!one) return;
    const plan = await planRevert(operation, one.id);
    if (plan.count === 0) return;
    await revert(operation, plan);
    takeBack(story, one, now);
  },
  async cron({ story, env, now }) {
    await runCron('7 * * * *', env, {});
    const today = dayAfter(now, 0);
    for (const { retained } of story.names.values())
      for (const one of retained)
        if (one.lastDay !== null && one.lastDay < today) one.until ??= now;
    const monthAgo = new Date(now);
    monthAgo.setUTCMonth(monthAgo.getUTCMonth() - 1);
    for (const one of story.contacts) {
      one.looks = one.looks.filter((look) => now.getTime() - look.at.getTime() <= 30 * day);
      if (!one.goneAt && one.unlinkedAt && one.unlinkedAt < monthAgo)
        Object.assign(one, { goneAt: now, goneBy: 'cron' });
    }
    for (const { webhook } of story.accounts.values())
      for (const one of webhook?.seen.values() ?? [])
        if (one.state === 'missing' && now.getTime() - one.at.getTime() > 7 * day)
          one.state = 'given up';
    story.published = listsOf(story, today);
    story.changed.clear();
  },
  async 'registrant changes a contact'({ db, operation, story, now }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const { human, ident } = nowOf(one);
    const [firstName, lastName] = humans[human]!.name.split(' ') as [string, string];
    const person = { countryCode: 'FI', code: ident, firstName, lastName };
    const version = { ...nowOf(one), at: now, email: at(humans[human]!.emails, b)! };
    const call = { db, person, request: operation.origin.request };
    await updateContactOfPerson(call, one.uuid, () => ({ email: version.email }));
    one.versions.push(version);
  },
  async 'demand check'({ operation, story, now }, a, b) {
    const one = at(present(story), a);
    if (!one) return;
    const claims = at([['email'], ['name', 'phone']] as const, b)!;
    const demand = { claims: [...claims], by: dayAfter(now, 10) };
    await demandVerification(operation, one.code, demand);
    one.demand = demand;
  },
  async 'suspend registrar'({ operation, story, now }, a) {
    const [code, account] = at([...story.accounts], a)!;
    const suspension = account.suspendedAt ? null : 'fees';
    await updateRegistrar(operation, code, { suspension });
    account.suspendedAt = suspension ? now : undefined;
  },
  async 'disable user'({ operation, story }, a) {
    const account = at([...story.accounts.values()], a)!;
    const isDisabled = !account.isUserDisabled;
    await setHolderDisabled(operation, { type: 'api_user', key: account.user }, isDisabled);
    account.isUserDisabled = isDisabled;
  },
  async 'require certificate'({ operation, story, now }, a) {
    const account = at([...story.accounts.values()], a)!;
    const holder = { type: 'api_user', key: account.user } as const;
    const certificateEnds = new Date(now.getTime() + 35 * day);
    await bindCertificate(operation, holder, {
      ...{ fingerprint: crypto.randomUUID().replaceAll('-', '').repeat(2), commonName: 'test' },
      expiresAt: certificateEnds.toISOString(),
    });
    await requireCertificate(operation, holder, true);
    account.certificateEnds = certificateEnds;
  },
  async 'set webhook'({ operation, story }, a) {
    const [code, account] = at([...story.accounts], a)!;
    if (account.webhook) return;
    await updateRegistrar(operation, code, { webhookUrl: 'https://receiver.ee/' });
    account.webhook = { seen: new Map() };
  },
  async 'receive notifications'({ db, story, owners, now }, a, b) {
    const { webhook } = at([...story.accounts.values()], a)!;
    const status = b % 3 === 0 ? 204 : 500;
    if (!webhook) return;
    const receive: typeof fetch = async (_, init) => {
      const { timestamp, data } = JSON.parse(String(init?.body));
      const state = status === 500 ? 'missing' : 'arrived';
      webhook.seen.set(String(data.id), { at: new Date(timestamp), state });
      webhook.failedAt = status === 500 ? (webhook.failedAt ?? now) : undefined;
      return new Response(null, { status });
    };
    const sender = { fetch: receive, now: () => now, isLocal: true };
    await sendDeliveries(db, at(owners, a)!.id, sender);
  },
};
