import { asc, eq, inArray } from 'drizzle-orm';
import { expect, it } from 'vitest';
import {
  auctions,
  contacts,
  disputes,
  history,
  notifications,
  registrars,
  retainedDomains,
} from '../../drizzle/schema.ts';
import type { RegistryError } from '../../src/base/error.ts';
import type { Operation, Origin } from '../../src/change/origin.ts';
import { getContactByCode } from '../../src/contact/contact.ts';
import {
  changeContactStatuses,
  deleteAnyContact,
  updateAnyContact,
} from '../../src/contact/operator/administer.ts';
import { eraseContact } from '../../src/contact/operator/erase.ts';
import { type ContactRecord, importContacts } from '../../src/contact/operator/import.ts';
import { readOtherPersonalData } from '../../src/contact/personal-data.ts';
import { removeOldValues } from '../../src/contact/recorded-values.ts';
import { cancelAuction } from '../../src/name/auction/cancel.ts';
import { startAuctions } from '../../src/name/auction/operator/start.ts';
import { updateAuction } from '../../src/name/auction/report.ts';
import { importDomains } from '../../src/name/domain/operator/import.ts';
import { parseDomainName } from '../../src/name/domain/operator/name.ts';
import { transferDomains } from '../../src/name/domain/operator/transfer.ts';
import { updateDomain } from '../../src/name/domain/operator/update.ts';
import { loadDomains } from '../../src/name/domain/read.ts';
import type { DomainRecord } from '../../src/name/domain/record.ts';
import { removeDomains } from '../../src/name/domain/save.ts';
import { transferDomain } from '../../src/name/domain/transfer.ts';
import type { DomainName } from '../../src/name/name.ts';
import { removeRetainedDomains } from '../../src/name/retained/change-names.ts';
import type { RetainedStatus } from '../../src/name/retained/list.ts';
import { addRetainedDomains } from '../../src/name/retained/operator/change-names.ts';
import { closeDispute, openDispute } from '../../src/name/retained/operator/dispute.ts';
import { importDisputes } from '../../src/name/retained/operator/import-disputes.ts';
import { findRetainedDomains } from '../../src/name/retained/operator/list.ts';
import { replaceRetainedDomains } from '../../src/name/retained/operator/replace.ts';
import { endReservations } from '../../src/name/retained/save.ts';
import { planRevert, revert } from '../../src/undo/revert.ts';
import {
  addContact,
  addDispute,
  addRegistrar,
  contactValues,
  emptyLists,
  operator,
  pendingRequest,
  unique,
  verification,
} from '../support/fixtures.ts';
import { afterRows, beforeBatch } from '../support/meanwhile.ts';
import { shareEmptyWorker } from '../support/worker.ts';

const worker = shareEmptyWorker();

/** The operator with one command. */
function command(at = '2026-05-06T07:08:09.010Z'): Origin {
  return {
    actor: operator.actor,
    request: { at: new Date(at), requestId: crypto.randomUUID() },
  };
}

/** Takes a request back and returns the request that did it. */
async function takeBack(request: string): Promise<string> {
  const origin = command('2026-06-01T00:00:00.000Z');
  await revert({ db: worker.db, origin }, await planRevert({ db: worker.db, origin }, request));
  return origin.request.requestId;
}

async function problems(request: string) {
  return problemsIn(await planRevert(worker.operation, request).catch((error) => error));
}

/** Without the sentence, of which the message is the text. */
const problemsIn = (refusal: RegistryError) =>
  refusal.problems.map(({ sentence: _, ...problem }) => problem);

/** Does this as one command, and returns its request. */
async function done<Args extends unknown[]>(
  work: (operation: Operation, ...args: Args) => Promise<unknown>,
  ...args: Args
): Promise<string> {
  const origin = command();
  await work({ db: worker.db, origin }, ...args);
  return origin.request.requestId;
}

/** Expects that a request stays as it is after a change: with a plan of before, and with another one. */
async function expectStays(request: string, change: () => Promise<unknown>, ...expected: object[]) {
  const origin = command();
  const plan = await planRevert({ db: worker.db, origin }, request);
  await change();
  expect(await problems(request)).toEqual(expected);
  const refusal = await revert({ db: worker.db, origin }, plan).catch((error) => error);
  expect(problemsIn(refusal)[0]).toEqual(expected[0]);
  expect(await entriesOf(origin.request.requestId)).toEqual([]);
}

function newName(status: RetainedStatus = 'reserved') {
  return { ...parseDomainName(`õ${unique()}.ee`), status };
}

function entriesOf(request: string) {
  return worker.db
    .select()
    .from(history)
    .where(eq(history.requestId, request))
    .orderBy(asc(history.id));
}

const rows = () => worker.db.select().from(retainedDomains).orderBy(asc(retainedDomains.name));
const listed = async () =>
  (await rows()).map(({ name, punycode, status }) => ({ name, punycode, status }));

it('retained names that a command replaced are as they were, and the revert can be reverted', async () => {
  await emptyLists(worker.env);
  const [kept, gone, also] = [newName(), newName(), newName('blocked')];
  await addRetainedDomains(worker.operation, [kept, gone, also]);
  const before = await listed();
  const added = [newName(), newName('blocked')];
  const request = await done(replaceRetainedDomains, ['reserved', 'blocked'], [kept, ...added]);
  const after = await listed();
  expect(after).not.toEqual(before);
  const reverting = await takeBack(request);
  expect(await listed()).toEqual(before);
  const entries = await entriesOf(reverting);
  expect(new Set(entries.map(({ clientReference }) => clientReference))).toEqual(
    new Set([request]),
  );
  expect(entries.find(({ subjectKey }) => subjectKey === gone.name)).toMatchObject({
    ...{ action: 'create', actorType: 'operator', occurredAt: '2026-06-01T00:00:00.000Z' },
    changes: { status: { from: null, to: 'reserved' } },
  });
  await takeBack(reverting);
  expect(await listed()).toEqual(after);
});

it('names and disputes that come back, once or again, keep the time of their creation', async () => {
  const [name, disputed] = [newName(), newName()];
  await done(addRetainedDomains, [{ ...name, password: null, lastDay: null }]);
  const removal = await done(removeRetainedDomains, [name]);
  const dispute = { ...disputed, firstDay: '2026-05-01', lastDay: '2027-01-31' };
  const removals = [removal, await takeBack(await done(openDispute, dispute))];
  const created = { createdAt: '2026-05-06T07:08:09.010Z' };
  const timesOf = async (table: typeof retainedDomains | typeof disputes, one: DomainName) =>
    worker.db.select({ createdAt: table.createdAt }).from(table).where(eq(table.name, one.name));
  for (const removed of removals) {
    const again = await takeBack(await takeBack(removed));
    await takeBack(again);
  }
  expect(await timesOf(retainedDomains, name)).toEqual([created]);
  expect(await timesOf(disputes, disputed)).toEqual([created]);
});

it('reverted names have the last days that they had', async () => {
  const name = { ...newName(), lastDay: '2027-01-31' };
  const adding = await done(addRetainedDomains, [name]);
  const updating = await done(addRetainedDomains, [{ ...name, lastDay: '2028-01-31' }]);
  expect(await problems(adding)).toMatchObject([{ reason: 'changed_meanwhile' }]);
  await takeBack(updating);
  const removing = await done(removeRetainedDomains, [name]);
  await takeBack(removing);
  expect(await findRetainedDomains(worker.db, [name])).toMatchObject([name]);
});

it('retained names that had a password are not removed and made again without it', async () => {
  const name = { ...newName(), password: 'omanik' };
  const adding = await done(addRetainedDomains, [name]);
  const removing = await takeBack(adding);
  expect(await findRetainedDomains(worker.db, [name])).toEqual([]);
  expect(await problems(removing)).toMatchObject([{ reason: 'gone' }]);
});

it('a name with another status is another thing', async () => {
  const name = newName();
  const request = await done(addRetainedDomains, [name]);
  await addRetainedDomains(worker.operation, [{ ...name, status: 'blocked' }]);
  await takeBack(request);
  expect((await listed()).filter((each) => each.name === name.name)).toEqual([
    { ...name, status: 'blocked' },
  ]);
});

it('retained names of which one has changed since all stay, and the refusal names the change', async () => {
  const [one, other] = [newName(), newName()];
  const request = await done(addRetainedDomains, [one, other]);
  const again = command();
  const since = `changed since: create by Operator at 2026-05-06T07:08:09.010Z, request ${again.request.requestId}`;
  await expectStays(
    request,
    async () => {
      await removeRetainedDomains(worker.operation, [one]);
      await addRetainedDomains({ db: worker.db, origin: again }, [one]);
    },
    {
      reason: 'changed_meanwhile',
      message: `create retained domain ${one.name}: ${since}`,
    },
  );
  expect((await listed()).filter(({ name }) => [one.name, other.name].includes(name))).toEqual(
    expect.arrayContaining([one, other]),
  );
});

it('retained names are taken back although a reservation has ended by its last day', async () => {
  const [over, left] = [newName(), newName()];
  const request = await done(addRetainedDomains, [{ ...over, lastDay: '2026-05-06' }, left]);
  const { request: cron } = command('2026-05-07T00:01:00.000Z');
  await endReservations(worker.db, cron);
  const { takenBack } = await planRevert(worker.operation, request);
  expect(takenBack).toEqual({ count: 0, requests: [] });
  const entries = await entriesOf(await takeBack(request));
  expect(entries.map(({ subjectKey }) => subjectKey)).toEqual([left.name]);
});

it('changes of reservations of which one has ended since all stay', async () => {
  const [over, left] = [newName(), newName()];
  const names = (...days: [string, string]) =>
    [over, left].map((name, index) => ({ ...name, lastDay: days[index]! }));
  await addRetainedDomains(worker.operation, names('2027-01-31', '2027-01-31'));
  const request = await done(addRetainedDomains, names('2026-05-06', '2028-01-31'));
  const { request: cron } = command('2026-05-07T00:01:00.000Z');
  await endReservations(worker.db, cron);
  const message = expect.stringContaining(over.name);
  expect(await problems(request)).toEqual([{ reason: 'changed_meanwhile', message }]);
});

it('who names a command as their own reference has not taken it back', async () => {
  const name = newAuctionName();
  const request = await done(startAuctions, [name]);
  const [auction] = await auctionsOf(name);
  const origin = {
    actor: { type: 'auction_centre', name: 'Auction centre' },
    request: { ...command().request, clientReference: request },
  } as const;
  const report = { status: 'awaiting_payment' } as const;
  await updateAuction({ db: worker.db, origin }, auction!.uuid, report, []);
  const message = expect.stringContaining('changed since: update by Auction centre');
  expect(await problems(request)).toEqual([{ reason: 'changed_meanwhile', message }]);
});

it('what happens to others, or to the name otherwise, after the plan prevents no revert', async () => {
  const name = newName();
  const request = await done(addRetainedDomains, [name]);
  const plan = await planRevert(worker.operation, request);
  await addRetainedDomains(worker.operation, [newName()]);
  await openDispute(worker.operation, { ...name, ...days });
  expect(await revert({ db: worker.db, origin: command() }, plan)).toEqual([]);
  expect(await findRetainedDomains(worker.db, [name])).toEqual([]);
});

it('retained names are taken back once, whoever says it twice', async () => {
  const name = newName();
  const request = await done(addRetainedDomains, [name]);
  const [one, other] = [command(), command()];
  const plans = await Promise.all(
    [one, other].map((each) => planRevert({ db: worker.db, origin: each }, request)),
  );
  await revert({ db: worker.db, origin: one }, plans[0]!);
  await expect(revert({ db: worker.db, origin: other }, plans[1]!)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
    message: expect.stringMatching(/^request \S+ has taken it back meanwhile$/),
  });
  expect(await planRevert(worker.operation, request)).toMatchObject({
    count: 0,
    takenBack: { count: 1, requests: [one.request.requestId] },
  });
});

const days = { firstDay: '2026-01-01', lastDay: '2026-12-31' };
const newDispute = () => {
  const { name, punycode } = newName();
  return { name, punycode, ...days };
};
const daysOf = ({ name }: { name: string }) =>
  worker.db
    .select({
      punycode: disputes.punycode,
      firstDay: disputes.firstDay,
      lastDay: disputes.lastDay,
      closedAt: disputes.closedAt,
    })
    .from(disputes)
    .where(eq(disputes.name, name))
    .orderBy(asc(disputes.firstDay));

it('disputes that were opened or imported are gone', async () => {
  const [one, other] = [newDispute(), newDispute()];
  const opening = await done(openDispute, one);
  const second = { ...other, firstDay: '2027-01-01', lastDay: '2027-12-31' };
  const imported = await done(importDisputes, [other, second]);
  await takeBack(opening);
  await takeBack(imported);
  expect([await daysOf(one), await daysOf(other)]).toEqual([[], []]);
});

it('disputes that were closed are open again, whether they had begun or not', async () => {
  const begun = newDispute();
  const planned = { ...newDispute(), firstDay: '2026-12-01' };
  const before = { ...newDispute(), name: begun.name, punycode: begun.punycode };
  await importDisputes(worker.operation, [
    begun,
    planned,
    { ...before, firstDay: '2025-01-01', lastDay: '2025-12-31' },
  ]);
  const opened = [await daysOf(begun), await daysOf(planned)];
  for (const dispute of [begun, planned]) {
    const request = await done(closeDispute, { ...dispute, reason: 'settled' });
    const closed = [await daysOf(begun), await daysOf(planned)];
    expect(closed).not.toEqual(opened);
    const again = await takeBack(await takeBack(request));
    expect([await daysOf(begun), await daysOf(planned)]).toEqual(closed);
    await takeBack(again);
  }
  expect([await daysOf(begun), await daysOf(planned)]).toEqual(opened);
});

const passwordOf = async ({ name }: { name: string }) => {
  const [dispute] = await worker.db.select().from(disputes).where(eq(disputes.name, name));
  return dispute!.password;
};

it('a dispute that comes back can be won by a password, which is not the one that it had', async () => {
  const dispute = newDispute();
  const opening = await done(openDispute, dispute);
  const first = await passwordOf(dispute);
  await takeBack(await takeBack(opening));
  const second = await passwordOf(dispute);
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});

it('a dispute whose password was given does not come back with another one', async () => {
  const dispute = { ...newDispute(), password: 'agreed' };
  const undone = await takeBack(await done(openDispute, dispute));
  expect(await problems(undone)).toMatchObject([
    { reason: 'gone', message: expect.stringContaining('does not have the values of password') },
  ]);
  expect(await daysOf(dispute)).toEqual([]);
});

it('a dispute that is open again has its password again', async () => {
  const dispute = { ...newDispute(), lastDay: '2099-12-31', password: 'agreed' };
  await done(openDispute, dispute);
  await takeBack(await done(closeDispute, { ...dispute, reason: 'settled' }));
  expect(await daysOf(dispute)).toMatchObject([{ closedAt: null }]);
  expect(await passwordOf(dispute)).toBe('agreed');
});

const newAuctionName = () => {
  const { name, punycode } = newName();
  return { name, punycode };
};
const auctionsOf = ({ name }: { name: string }) =>
  worker.db.select().from(auctions).where(eq(auctions.name, name));
const cancel = ({ name }: { name: string }) =>
  done(cancelAuction, { auction: name, reason: 'by mistake' });

it('auctions that were cancelled are in progress again, but for the code, which the history does not have', async () => {
  const record = { ...newAuctionName(), registrationCode: 'kood' };
  await startAuctions(worker.operation, [record]);
  const uuid = (await auctionsOf(record))[0]!.uuid;
  const deadline = { registrationDeadline: '2026-07-01' };
  await updateAuction(worker.operation, uuid, deadline, []);
  const [before] = await auctionsOf(record);
  await takeBack(await cancel(record));
  expect(await auctionsOf(record)).toEqual([
    {
      ...{ ...before, id: expect.any(Number), version: 1, registrationCode: null },
      updatedAt: '2026-06-01T00:00:00.000Z',
    },
  ]);
});

it('auctions of names that are disputed or reserved by now come back with a warning', async () => {
  const [disputed, reserved] = [newAuctionName(), newAuctionName()];
  await startAuctions(worker.operation, [disputed]);
  const request = await cancel(disputed);
  await addDispute(worker.env, disputed);
  await startAuctions(worker.operation, [reserved]);
  const other = await cancel(reserved);
  await addRetainedDomains(worker.operation, [{ ...reserved, status: 'reserved' }]);
  expect((await planRevert(worker.operation, request)).warnings).toEqual([
    `"${disputed.name}" is disputed`,
  ]);
  expect((await planRevert(worker.operation, other)).warnings).toEqual([
    `"${reserved.name}" is reserved`,
  ]);
});

it('auctions that were started are gone, unless somebody has reported on one', async () => {
  const names = [newAuctionName(), newAuctionName()];
  const request = await done(startAuctions, names);
  const [started] = await auctionsOf(names[0]!);
  const reverting = await takeBack(request);
  expect([await auctionsOf(names[0]!), await auctionsOf(names[1]!)]).toEqual([[], []]);
  await takeBack(await takeBack(await takeBack(reverting)));
  const [again] = await auctionsOf(names[0]!);
  expect(again).toEqual({
    ...started,
    id: expect.any(Number),
    updatedAt: '2026-06-01T00:00:00.000Z',
  });
  await updateAuction(worker.operation, again!.uuid, { status: 'awaiting_payment' }, []);
  expect(await problems(request)).toMatchObject([
    { reason: 'changed_meanwhile' },
    { reason: 'changed_meanwhile' },
  ]);
});

it.each([
  [
    '"%s" is blocked',
    (name: DomainName) => addRetainedDomains(worker.operation, [{ ...name, status: 'blocked' }]),
  ],
  [
    '"%s" is a registered domain',
    async (name: DomainName) => {
      const { code } = await addContact(worker.env, await addRegistrar(worker.env));
      const registrar = code.split(':')[0]!;
      await importDomains(worker.operation, [{ ...name, registrar, registrant: code }]);
    },
  ],
  [
    'delete auction %s: changed since: create by',
    (name: DomainName) => startAuctions(worker.operation, [name]),
  ],
])('auctions of a name stay cancelled because: %s', async (reason, obstruct) => {
  const name = newAuctionName();
  await startAuctions(worker.operation, [name]);
  const message = expect.stringContaining(reason.replace('%s', name.name));
  const problem = expect.objectContaining({ message });
  const request = await cancel(name);
  let left: unknown;
  const change = async () => {
    await obstruct(name);
    left = await auctionsOf(name);
  };
  await expectStays(request, change, problem);
  expect(await auctionsOf(name)).toEqual(left);
});

async function importContact() {
  const registrar = await addRegistrar(worker.env);
  const code = `${registrar.code}:TAMM`;
  const record: ContactRecord = {
    code,
    registrar: registrar.code,
    name: 'Jaan Tamm',
    email: 'jaan@example.ee',
    phone: '+372.5123456',
    ident: `38001${unique()}`,
    identType: 'priv',
    identCountryCode: 'EE',
    city: 'Tartu',
    createdAt: '2015-09-09T09:11:14.861Z',
  };
  const importing = await done(importContacts, [record]);
  const row = async () => {
    const [contact] = await worker.db.select().from(contacts).where(eq(contacts.code, code));
    return contact;
  };
  return { code, importing, row, ident: record.ident };
}

const notificationsOf = (code: string) =>
  worker.db
    .select({ event: notifications.event, fields: notifications.fields })
    .from(notifications)
    .where(eq(notifications.subjectKey, code))
    .orderBy(asc(notifications.id));

it('reverted contacts have their fields and statuses again, and their registrar is notified', async () => {
  const { code, row } = await importContact();
  const before = await row();
  const update = await done(updateAnyContact, code, { city: null, phone: '+372.555' });
  await takeBack(update);
  const add = ['serverUpdateProhibited'] as const;
  const status = await done(changeContactStatuses, code, { add, remove: [], note: 'court' });
  await takeBack(status);
  expect(await row()).toEqual({
    ...before,
    // The third change at this time.
    ...{ version: Date.parse('2026-06-01T00:00:00.002Z'), updater: 'Operator' },
    updatedAt: '2026-06-01T00:00:00.002Z',
  });
  const statuses = { event: 'contact.updated', fields: ['statuses', 'status_notes'] };
  const fields = { event: 'contact.updated', fields: ['city', 'phone'] };
  const told = await notificationsOf(code);
  expect(told.map(({ event, fields }) => ({ event, fields: fields.toSorted() }))).toEqual([
    fields,
    fields,
    { ...statuses, fields: statuses.fields.toSorted() },
    { ...statuses, fields: statuses.fields.toSorted() },
  ]);
});

it('the registrar of a contact that was deleted is notified that it is there again', async () => {
  const { code } = await importContact();
  await takeBack(await done(deleteAnyContact, code));
  const told = await worker.db
    .select({ event: notifications.event, text: notifications.text, fields: notifications.fields })
    .from(notifications)
    .where(eq(notifications.subjectKey, code))
    .orderBy(asc(notifications.id));
  expect(told).toEqual([
    { event: 'contact.deleted', text: `Contact ${code} has been deleted by registry`, fields: [] },
    {
      event: 'contact.updated',
      text: `Contact ${code} has been restored by registry`,
      fields: expect.arrayContaining(['name', 'email', 'ident']),
    },
  ]);
});

it('contacts that were deleted are there again, with new auth_info', async () => {
  const { code, row, ident } = await importContact();
  await updateAnyContact(worker.operation, code, { city: 'Narva' });
  const before = await row();
  const request = await done(deleteAnyContact, code);
  expect(await row()).toBeUndefined();
  await takeBack(request);
  const after = await row();
  expect(after).toEqual({
    ...before,
    ...{ id: expect.any(Number), version: expect.any(Number), authInfo: expect.any(String) },
    ...{ unlinkedAt: '2026-06-01T00:00:00.000Z', updatedAt: '2026-06-01T00:00:00.000Z' },
    updater: 'Operator',
  });
  expect(after!.authInfo).not.toBe(before!.authInfo);
  const person = { countryCode: 'EE', code: ident, firstName: 'Jaan', lastName: 'Tamm' };
  const { deleted } = await readOtherPersonalData(worker.db, person, new Date());
  expect(await Array.fromAsync(deleted)).toEqual([]);
});

it.each([
  ['that were given', { creator: 'Former registry', createdAt: '2015-09-09T09:11:14.861Z' }],
  ['of its first entry', {}],
])(
  'a contact that comes back, once or again, has the creator and the time %s',
  async (_, given) => {
    const registrar = (await addRegistrar(worker.env)).code;
    const code = `${registrar}:TAMM`;
    const { actor, request } = command();
    const origin = { actor: { ...actor, name: 'Operator mari' }, request };
    await importContacts({ db: worker.db, origin }, [
      { ...contactValues, ...given, code, registrar },
    ]);
    for (const _ of ['once', 'again']) {
      await takeBack(await done(deleteAnyContact, code));
      expect(await getContactByCode(worker.db, code)).toMatchObject({
        ...{ creator: 'Operator mari', createdAt: request.at.toISOString() },
        ...given,
      });
    }
  },
);

it('a contact that comes back is not taken for one that had its code, or its UUID, before', async () => {
  const registrar = (await addRegistrar(worker.env)).code;
  const [code, uuid] = [`${registrar}:TAMM`, crypto.randomUUID()];
  const add = (month: string, own: { code: string; uuid?: string }) => {
    const origin = command(`2026-${month}-01T00:00:00.000Z`);
    return importContacts({ db: worker.db, origin }, [{ ...contactValues, registrar, ...own }]);
  };
  for (const former of [{ code }, { code: `${registrar}:KASK`, uuid }]) {
    await add('03', former);
    await deleteAnyContact(worker.operation, former.code);
  }
  await add('04', { code, uuid });
  await takeBack(await done(deleteAnyContact, code));
  const createdAt = '2026-04-01T00:00:00.000Z';
  expect(await getContactByCode(worker.db, code)).toMatchObject({ createdAt });
});

/** A contact of a registrar whose code has the prefix of another one. */
async function addForeign() {
  const [alpha, beta] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const contact = await addContact(worker.env, alpha, { code: `${beta.code}:LIVE` });
  return { ...contact, alpha };
}

it('contacts that were deleted are again their registrar’s, whatever the prefix of their codes', async () => {
  const { alpha, code: foreign } = await addForeign();
  const { code: bare } = await addContact(worker.env, alpha, { code: `CID${unique()}` });
  for (const code of [foreign, bare]) {
    const { uuid, registrarId } = await getContactByCode(worker.db, code);
    await takeBack(await done(deleteAnyContact, code));
    expect(await getContactByCode(worker.db, code)).toMatchObject({ uuid, registrarId });
  }
});

it.each([
  [
    'is gone',
    async () => {
      const { code, alpha } = await addForeign();
      const request = await done(deleteAnyContact, code);
      const renamed = { code: `NEW${unique()}` };
      await worker.db.update(registrars).set(renamed).where(eq(registrars.id, alpha.id));
      return { code, request };
    },
  ],
  [
    'is not in the history, as an earlier release wrote it',
    async () => {
      const [code, request] = [`GONE:${unique()}`, crypto.randomUUID()];
      await worker.db.insert(history).values({
        ...{ subject: 'contact', subjectKey: code, subjectUuid: crypto.randomUUID() },
        ...{ action: 'delete', actorType: 'operator', actor: 'Operator', requestId: request },
        ...{ occurredAt: '2026-01-02T03:04:05.678Z', changes: {} },
      });
      return { code, request };
    },
  ],
])('contacts whose registrar %s stay deleted, and the plan says so', async (_, remove) => {
  const { code, request } = await remove();
  const message = `delete contact ${code}: its registrar is gone, or not in the history`;
  expect(await problems(request)).toEqual([{ reason: 'gone', message }]);
});

it.each([
  ['have come back with another code', 'AGAIN', true, false],
  ['have come back with another code, and were deleted again,', 'AGAIN', true, true],
  ['another has the code of', 'TAMM', false, false],
])('contacts that %s since stay deleted', async (_, suffix, isSame, isGone) => {
  const { code, row } = await importContact();
  const { uuid } = (await row())!;
  const request = await done(deleteAnyContact, code);
  const registrar = code.split(':')[0]!;
  const record = { ...contactValues, ...(isSame && { uuid }), code: `${registrar}:${suffix}` };
  const change = async () => {
    await importContacts(worker.operation, [{ ...record, registrar }]);
    if (isGone) await deleteAnyContact(worker.operation, record.code);
  };
  const message = expect.stringContaining(`delete contact ${code}: changed since: `);
  await expectStays(request, change, { reason: 'changed_meanwhile', message });
});

it('a contact that was changed and deleted since stays deleted', async () => {
  const { code } = await importContact();
  const request = await done(updateAnyContact, code, { city: 'Narva' });
  const message = expect.stringContaining(`update contact ${code}: changed since: delete by`);
  const change = () => deleteAnyContact(worker.operation, code);
  await expectStays(request, change, { reason: 'changed_meanwhile', message });
});

it.each([
  ['an erasure', (uuid: string) => eraseContact(worker.operation, uuid)],
  ['the scheduled removal of values', () => removeOldValues(worker.db, '2030-01-01T00:00:00.000Z')],
])('contacts that %s reaches between the look and the write stay deleted', async (_, remove) => {
  const { code, uuid } = await addForeign();
  const request = await done(deleteAnyContact, code);
  const plan = await planRevert(worker.operation, request);
  // Looking takes no batch; the first one writes.
  const racing = beforeBatch(worker.env, 1, async () => remove(uuid));
  await expect(revert({ db: racing, origin: command() }, plan)).rejects.toMatchObject({
    reason: 'gone',
  });
  expect(await worker.db.$count(contacts, eq(contacts.uuid, uuid))).toBe(0);
});

it('contacts whose values are not in the history stay as they are', async () => {
  const { code } = await importContact();
  const secret = await done(updateAnyContact, code, { authInfo: 'abc123', city: 'Narva' });
  expect(await problems(secret)).toEqual([
    {
      reason: 'gone',
      message: `update contact ${code}: the history does not have the values of auth_info`,
    },
  ]);
  const erasure = await done(eraseContact, code);
  expect(await problems(erasure)).toEqual([
    {
      reason: 'gone',
      message: `delete contact ${code}: the values of name, ident, email, phone, city were removed from the history`,
    },
  ]);
});

it('contacts are known again by their former identity, whatever the identity service was asked', async () => {
  const alpha = await addRegistrar(worker.env);
  const { code, ident } = await addContact(worker.env, alpha, {
    identityRequest: pendingRequest(),
    identityVerification: verification(),
  });
  const correction = await done(updateAnyContact, code, { ident: '47101010033' });
  await takeBack(correction);
  expect(await getContactByCode(worker.db, code)).toMatchObject({
    ...{ ident, identityVerification: { result: 'success' }, identityRequest: null },
  });
});

/** Imports three contacts of one registrar and one of another. */
async function importContactsOfTwo() {
  const [alpha, beta] = [await addRegistrar(worker.env), await addRegistrar(worker.env)];
  const records = [alpha, alpha, alpha, beta].map(({ code: registrar }, n) => {
    return { ...contactValues, code: `${registrar}:${n}`, registrar };
  });
  const importing = await done(importContacts, records);
  const codes = records.map(({ code }) => code) as [string, string, string, string];
  const remaining = () => worker.db.$count(contacts, inArray(contacts.code, codes));
  return { alpha, codes, importing, remaining };
}

it('contacts that were imported are taken back, each with a notification', async () => {
  const { codes, importing, remaining } = await importContactsOfTwo();
  const reverting = await takeBack(importing);
  expect(await remaining()).toBe(0);
  const entries = await entriesOf(reverting);
  expect(entries.map(({ subjectKey }) => subjectKey).sort()).toEqual([...codes].sort());
  expect(entries[0]).toMatchObject({
    action: 'delete',
    changes: { name: { from: contactValues.name, to: null } },
  });
  const told = await worker.db
    .select({ event: notifications.event, text: notifications.text })
    .from(notifications)
    .where(inArray(notifications.subjectKey, codes))
    .orderBy(asc(notifications.id));
  const event = 'contact.deleted';
  expect(told).toEqual(
    codes.map((code) => ({ event, text: `Contact ${code} has been deleted by registry` })),
  );
  const together = 'it cannot be taken back together with other changes';
  expect(await problems(reverting)).toEqual(
    entries.map(({ subjectKey }) => ({
      reason: 'invalid',
      message: `delete contact ${subjectKey}: ${together}`,
    })),
  );
});

it('contacts that were imported with their domains are taken back with them', async () => {
  const origin = command();
  const { alpha, codes, remaining } = await importContactsOfTwo();
  const code = `${alpha.code}:WITH`;
  const domain = { ...parseDomainName(`õ${unique()}.ee`), registrar: alpha.code, registrant: code };
  await importContacts({ db: worker.db, origin }, [
    { ...contactValues, code, registrar: alpha.code },
  ]);
  await importDomains({ db: worker.db, origin }, [domain]);
  await takeBack(origin.request.requestId);
  expect(await loadDomains(worker.db, [domain.name])).toEqual(new Map());
  expect(await worker.db.$count(contacts, eq(contacts.code, code))).toBe(0);
  expect(await remaining()).toBe(codes.length);
});

it.each([
  [
    'a domain refers to one',
    'linked',
    async (code: string, registrar: string) => {
      const name = parseDomainName(`õ${unique()}.ee`);
      await importDomains(worker.operation, [{ ...name, registrar, registrant: code }]);
    },
  ],
  [
    'somebody has changed one',
    'changed_meanwhile',
    (code: string) => updateAnyContact(worker.operation, code, { city: 'Narva' }),
  ],
])('contacts that were imported all stay if %s', async (_, reason, change) => {
  const { alpha, codes, importing, remaining } = await importContactsOfTwo();
  const message = expect.stringContaining(`create contact ${codes[1]}: `);
  await expectStays(importing, () => change(codes[1], alpha.code), { reason, message });
  expect(await remaining()).toBe(codes.length);
});

async function newParties() {
  const registrar = await addRegistrar(worker.env);
  const codes = await Promise.all([1, 2].map(() => addContact(worker.env, registrar)));
  const [one, other] = codes.map(({ code }) => code) as [string, string];
  const record = (): DomainRecord => {
    const name = parseDomainName(`õ${unique()}.ee`);
    return { ...name, registrar: registrar.code, registrant: one, admin: [one], tech: [] };
  };
  return { one, other, record };
}

const domainsOf = async (...records: DomainRecord[]) =>
  Object.fromEntries(
    await loadDomains(
      worker.db,
      records.map(({ name }) => name),
    ),
  );

it('domains that a command added, changed and removed are as they were, and back again', async () => {
  const { one, other, record } = await newParties();
  const [changed, removed, added] = [record(), record(), record()];
  await importDomains({ db: worker.db, origin: command('2026-04-01T00:00:00.000Z') }, [
    changed,
    removed,
  ]);
  const before = await domainsOf(changed, removed, added);
  const request = await done(async (operation) => {
    const record = { ...changed, registrant: other, admin: [], tech: [one, other] };
    await importDomains(operation, [record, added]);
    await removeDomains(operation, [removed.name]);
  });
  const after = await domainsOf(changed, removed, added);
  const reverting = await takeBack(request);
  expect(await domainsOf(changed, removed, added)).toEqual(before);
  const again = await takeBack(reverting);
  expect(await domainsOf(changed, removed, added)).toEqual(after);
  const revertingAgain = await takeBack(again);
  expect(await domainsOf(changed, removed, added)).toEqual(before);
  await takeBack(revertingAgain);
  expect(await domainsOf(changed, removed, added)).toEqual(after);
});

it('a transfer of a disputed domain is taken back without a warning of another identity', async () => {
  const { record } = await newParties();
  const domain = record();
  await importDomains(worker.operation, [domain]);
  const name = parseDomainName(domain.name);
  const request = await done(transferDomain, name, (await addRegistrar(worker.env)).code);
  await addDispute(worker.env, name);
  expect((await planRevert(worker.operation, request)).warnings).toEqual([]);
});

it('a domain comes back although its name is in auction, and the plan says so', async () => {
  const { record } = await newParties();
  const domain = record();
  await importDomains(worker.operation, [domain]);
  const request = await done(removeDomains, [domain.name]);
  await startAuctions(worker.operation, [domain]);
  const { warnings } = await planRevert(worker.operation, request);
  expect(warnings).toEqual([`"${domain.name}" is in auction`]);
});

/** Gives the code of a contact that no domain refers to to somebody else. */
async function giveAway(code: string) {
  const [{ registrarId, number } = { registrarId: 0, number: 0 }] = await worker.db
    .select()
    .from(contacts)
    .where(eq(contacts.code, code));
  await deleteAnyContact(worker.operation, code);
  const registrar = { id: registrarId, code: '' };
  await addContact(worker.env, registrar, { code, number, name: 'Somebody Else' });
}

const departures = [
  [
    'removed',
    'delete',
    (operation: Operation, domain: DomainRecord) => removeDomains(operation, [domain.name]),
  ],
  [
    'changed',
    'update',
    (operation: Operation, domain: DomainRecord, other: string) =>
      updateDomain(operation, domain, { registrant: other, admin: [] }),
  ],
] as const;

const successions = [
  ['a stranger who has the code of', giveAway],
  [
    'somebody else who has become the person of',
    (code: string) => updateAnyContact(worker.operation, code, { ident: '47101010033' }),
  ],
] as const;

it.each(
  departures.flatMap(([word, ...departure]) =>
    successions.map((succession) => [word, ...succession, ...departure] as const),
  ),
)(
  'domains that were %s give nothing to %s a former contact',
  async (...[, , succeed, action, change]) => {
    const { one, other, record } = await newParties();
    const domain = record();
    await importDomains(worker.operation, [domain]);
    const request = await done(change, domain, other);
    const left = await domainsOf(domain);
    const problem = {
      reason: 'changed_meanwhile',
      message: `${action} domain ${domain.name}: ${one} may be somebody else's now`,
    };
    await expectStays(request, () => succeed(one), problem, problem);
    expect(await domainsOf(domain)).toEqual(left);
  },
);

it('a domain goes back to a contact that belongs to the same person as when it was removed', async () => {
  const { one, record } = await newParties();
  const domain = record();
  await updateAnyContact(worker.operation, one, {
    ident: '010180-12345',
    identCountryCode: 'LV',
  });
  await importDomains(worker.operation, [domain]);
  const before = await domainsOf(domain);
  const removal = await done(removeDomains, [domain.name]);
  await updateAnyContact(worker.operation, one, { ident: '01018012345', city: 'Narva' });
  await takeBack(removal);
  expect(await domainsOf(domain)).toEqual(before);
});

it('a domain goes back to nobody who becomes the person of its contact at that moment', async () => {
  const { one, record } = await newParties();
  const domain = record();
  await importDomains(worker.operation, [domain]);
  const removal = await done(removeDomains, [domain.name]);
  const plan = await planRevert(worker.operation, removal);
  const overtaken = beforeBatch(worker.env, 1, () =>
    updateAnyContact(worker.operation, one, { ident: '47101010033' }),
  );
  await expect(revert({ db: overtaken, origin: command() }, plan)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
    message: expect.stringContaining(`${one} may be somebody else's now`),
  });
  expect(await domainsOf(domain)).toEqual({});
});

it('a revert that a change of somebody else stops says so, and can be repeated', async () => {
  const { one, other, record } = await newParties();
  const domain = { ...record(), registrant: one, admin: [] };
  await importDomains(worker.operation, [domain]);
  const removal = await done(removeDomains, [domain.name]);
  const plan = await planRevert(worker.operation, removal);
  const overtaken = beforeBatch(worker.env, 1, () =>
    updateAnyContact(worker.operation, other, { ident: '47101010033' }),
  );
  await expect(revert({ db: overtaken, origin: command() }, plan)).rejects.toMatchObject({
    message: expect.stringContaining('somebody else changed this just now'),
  });
  await takeBack(removal);
  expect(await domainsOf(domain)).toMatchObject({ [domain.name]: { registrant: one } });
});

it('a domain that is disputed at that moment goes back to nobody', async () => {
  const { other, record } = await newParties();
  const domain = record();
  await updateAnyContact(worker.operation, other, { ident: '47101010033' });
  await importDomains(worker.operation, [domain]);
  const request = await done(updateDomain, domain, { registrant: other });
  const plan = await planRevert(worker.operation, request);
  const overtaken = beforeBatch(worker.env, 1, () =>
    openDispute(worker.operation, { ...parseDomainName(domain.name), ...days }),
  );
  await expect(revert({ db: overtaken, origin: command() }, plan)).rejects.toMatchObject({
    message: expect.stringContaining('disputed'),
  });
  expect(await domainsOf(domain)).toMatchObject({ [domain.name]: { registrant: other } });
});

it('a domain that is removed while the history is read is said to have changed', async () => {
  const { one, other, record } = await newParties();
  const domain = record();
  await importDomains(worker.operation, [domain]);
  const change = { registrant: other, admin: [one] };
  const request = await done(updateDomain, domain, change);
  const racing = afterRows(worker.env, 'later.subject_key', async () => {
    await removeDomains(worker.operation, [domain.name]);
  });
  await expect(planRevert({ db: racing, origin: command() }, request)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
    message: `update domain ${domain.name}: it was removed meanwhile`,
  });
});

it('domains whose contacts the history does not tell from others with their codes stay as they are', async () => {
  const { one, record } = await newParties();
  const domain = record();
  const requestId = crypto.randomUUID();
  // As the release before wrote it.
  await worker.db.insert(history).values({
    ...{ subject: 'domain', subjectKey: domain.name, action: 'delete', requestId },
    ...{ actorType: 'operator', actor: 'Operator', occurredAt: '2026-01-02T03:04:05.678Z' },
    changes: {
      registrar: { from: domain.registrar, to: null },
      registrant: { from: one, to: null },
    },
  });
  expect(await problems(requestId)).toEqual([
    {
      reason: 'gone',
      message: `delete domain ${domain.name}: the history does not say which contact ${one} was`,
    },
  ]);
});

it('domains that had no registrant have none again', async () => {
  const { one, other, record } = await newParties();
  const domain = { ...record(), registrant: null };
  await importDomains(worker.operation, [domain]);
  const before = await domainsOf(domain);
  expect(before[domain.name]).toMatchObject({ registrant: null, admin: [one] });
  const change = { registrant: other };
  await takeBack(await done(updateDomain, domain, change));
  expect(await domainsOf(domain)).toEqual(before);
  await takeBack(await done(removeDomains, [domain.name]));
  expect(await domainsOf(domain)).toEqual(before);
});

it('domains whose contact was deleted since stay as they are', async () => {
  const { one, other, record } = await newParties();
  const domain = record();
  await importDomains(worker.operation, [domain]);
  const name = parseDomainName(domain.name);
  const request = await done(updateDomain, name, { registrant: other, admin: [] });
  const gone = {
    reason: 'not_found',
    message: `update domain ${domain.name}: there is no contact "${one}"`,
  };
  await expectStays(
    request,
    () => deleteAnyContact(worker.operation, one),
    { ...gone, field: 'registrant' },
    { ...gone, field: 'admin' },
  );
  expect(await domainsOf(domain)).toMatchObject({ [domain.name]: { registrant: other } });
});

it('only commands of the operator are taken back, and only those that the history knows', async () => {
  const name = newName();
  const centre = {
    ...command(),
    actor: { type: 'auction_centre', name: 'Auction centre' },
  } as const;
  await addRetainedDomains({ db: worker.db, origin: centre }, [name]);
  expect(await problems(centre.request.requestId)).toEqual([
    {
      reason: 'invalid',
      message: `create retained domain ${name.name}: made by Auction centre; only the operator's commands can be taken back`,
    },
  ]);
  const skipping = planRevert(worker.operation, centre.request.requestId, { skipChanged: true });
  await expect(skipping).rejects.toMatchObject({ reason: 'invalid' });
  expect(await problems('x')).toEqual([
    {
      reason: 'not_found',
      message: 'the history has no change of request "x"',
    },
  ]);
  expect(await worker.db.$count(retainedDomains, inArray(retainedDomains.name, [name.name]))).toBe(
    1,
  );
});

it('a long revert that somebody’s change stops half-way goes on without it, and names it', async () => {
  const origin = command();
  const names = Array.from({ length: 5_002 }, () => newName('blocked'));
  for (let from = 0; from < names.length; from += 1_000) {
    await addRetainedDomains({ db: worker.db, origin }, names.slice(from, from + 1_000));
  }
  const { requestId: request } = origin.request;
  // The newest come first.
  const [other, last] = [names[1]!, names[0]!];
  const plan = await planRevert(worker.operation, request);
  const racing = beforeBatch(worker.env, 2, () => done(removeRetainedDomains, [last]));
  const first = command();
  const refused = revert({ db: racing, origin: first }, plan).catch((error) => error);
  expect(problemsIn(await refused)).toEqual([
    {
      reason: 'changed_meanwhile',
      message: `an earlier revert has taken back 5000 of the changes (request ${first.request.requestId}), and these cannot follow`,
      command: ['history', 'revert', request, '--skip-changed'],
    },
    expect.objectContaining({ message: expect.stringContaining(`${last.name}: changed since`) }),
  ]);
  const rest = await planRevert(worker.operation, request, { skipChanged: true });
  expect(rest.reversals.map(({ key }) => key)).toEqual([other.name]);
  const second = { db: worker.db, origin: command() };
  const left = await revert(second, rest, undefined, { skipChanged: true });
  expect(left.map(({ message }) => message)).toEqual([expect.stringContaining(last.name)]);
  expect(await planRevert(worker.operation, request, { skipChanged: true })).toMatchObject({
    count: 0,
    takenBack: { count: 5_001 },
  });
});

/** A registrar has a domain of each of its two contacts, and a thousand times as many; all go to another one. */
async function transferredBy(count: number) {
  const { one, other, record } = await newParties();
  const records = Array.from({ length: count }, () => ({ ...record(), admin: [] }));
  records[1]!.registrant = other;
  for (let from = 0; from < count; from += 1_000) {
    await importDomains(worker.operation, records.slice(from, from + 1_000));
  }
  const names = records.map(({ name }) => name);
  const to = await addRegistrar(worker.env);
  const request = await done(async (operation) => {
    for (let from = 0; from < count; from += 500) {
      await transferDomains(operation, names.slice(from, from + 500), to.code);
    }
  });
  const copies = () => worker.db.$count(contacts, eq(contacts.registrarId, to.id));
  return { one, other, records, request, copies };
}

it('a long revert of a transfer removes the copies too that domains of all its batches had', async () => {
  const { records, request, copies } = await transferredBy(5_001);
  await takeBack(request);
  expect(await domainsOf(records[0]!, records[5_000]!)).toMatchObject({
    [records[0]!.name]: { registrant: records[0]!.registrant },
    [records[5_000]!.name]: { registrant: records[5_000]!.registrant },
  });
  expect(await copies()).toBe(0);
  expect(await planRevert(worker.operation, request)).toMatchObject({
    count: 0,
    takenBack: { count: 5_003 },
  });
}, 60_000);

it('a domain whose contact is another person’s by now is left with its copy, and the others go back', async () => {
  const { other, records, request, copies } = await transferredBy(3);
  await updateAnyContact(worker.operation, other, { ident: '47101010033' });
  const plan = await planRevert(worker.operation, request, { skipChanged: true });
  const left = await revert({ db: worker.db, origin: command() }, plan, undefined, {
    skipChanged: true,
  });
  expect(left.map(({ message }) => message)).toEqual([
    `update domain ${records[1]!.name}: ${other} may be somebody else's now`,
  ]);
  const domains = await domainsOf(...records);
  expect(records.map(({ name }) => domains[name]!.registrant === other)).toEqual([
    false,
    false,
    false,
  ]);
  expect(records.map(({ name, registrar }) => domains[name]!.registrar === registrar)).toEqual([
    true,
    false,
    true,
  ]);
  expect(await copies()).toBe(1);
});

it('an auction whose name is a domain by now is left, and the others come back', async () => {
  const names = [1, 2].map(() => parseDomainName(`õ${unique()}.ee`));
  const starting = await done(startAuctions, names);
  const taking = await takeBack(starting);
  const { record } = await newParties();
  await importDomains(worker.operation, [{ ...record(), ...names[0]! }]);
  const plan = await planRevert(worker.operation, taking, { skipChanged: true });
  expect(plan.left.map(({ message }) => message)).toEqual([
    expect.stringContaining(`"${names[0]!.name}" is `),
  ]);
  expect(plan.reversals.map(({ key }) => key)).toEqual([names[1]!.name]);
});
