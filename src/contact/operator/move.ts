import { and, desc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import {
  claims,
  contacts,
  domainContacts,
  domains,
  registrars,
  type VerificationDemand,
} from '../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import {
  type ChangesOfMany,
  changeEach,
  changesOfRows,
  writeMany,
} from '../../change/write-many.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { type NewNotification, withNotifications } from '../../party/registrar/notification.ts';
import { notifyRegistrar, rowUpdate } from '../change.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  contactSubject,
  selectContacts,
} from '../contact.ts';
import { firstId, isOfLineages, isStillCopy, noneSince } from '../copy.ts';
import { insertContacts } from '../create.ts';
import { changesOfDeletion } from '../delete.ts';
import { lineageOf } from '../same-person.ts';
import { openDemand } from '../verifications.ts';
import { deleteContacts } from './administer.ts';
import { isOfLineagesAnywhere } from './person.ts';
import { handover } from './transfer.ts';
import { demandNotice } from './verification-rules.ts';

/** A contact that its registrar keeps, and a domain that refers to it. */
export interface KeptContact {
  code: string;
  domain: string;
  registrar: string;
}

export interface MovedContacts {
  handedOver: number;
  deleted: number;
  kept: KeptContact[];
  /** The place in the order after which the next ones come; undefined after the last. */
  last: number | undefined;
}

/** At most so many in one batch. */
export const contactsOfBatch = 250;

/**
 * Takes the registrar's next contacts in one batch, after its domains have been transferred to another registrar. Deletes
 * a contact that has an equal one of its lineage there, whatever its statuses, which the other one has too; that gets its
 * open demand. Gives the other registrar any other contact. A contact stays while a domain refers to it. Notifies both. A
 * dry run takes the domains of the registrar as transferred already. Throws `not_found`.
 */
export async function moveContacts(
  operation: Operation,
  registrar: string,
  other: string,
  after: number,
): Promise<MovedContacts> {
  const { db, isDryRun } = operation;
  const plan = async (lastEntryId: number) => {
    const from = await getRegistrar(db, registrar);
    const to = await getRegistrar(db, other);
    const { page, ofLineage, linkOf } = await readPage(db, from.id, to.id, after);
    const coming = isDryRun ? await readComing(db, page, from.id, to.id) : new Map();
    const kept: KeptContact[] = [];
    const replaced: Replaced[] = [];
    const handed: ContactWithRegistrar[] = [];
    let copied = 0;
    let last = page.length < contactsOfBatch ? undefined : page.at(-1)!.number;
    for (const contact of page) {
      const link = linkOf.get(contact.id);
      const isEqual = (one: Contact) => isEqualOf(one, contact);
      const copy = ofLineage.get(firstId(contact))?.find(isEqual);
      if (isDryRun && link?.isOwn) copied += 1;
      else if (link)
        kept.push({ code: contact.code, domain: link.name, registrar: link.registrar });
      else if (copy) replaced.push({ contact, copy });
      else if (comesBefore(contact, coming)) copied += 1;
      else if (handed.some(isEqual)) {
        // The next batch finds the equal one at the other registrar.
        last = handed.at(-1)!.number;
        break;
      } else handed.push(contact);
    }
    const write = async () => {
      const changed = [...replaced.map(({ contact }) => contact), ...handed];
      if (changed.length === 0) return;
      const moved = changesFor(operation, replaced, handed, to);
      const codes = [...changed, ...replaced.map(({ copy }) => copy)].map(({ code }) => code);
      const isAsSeen = sql`${nothingSince(lastEntryId, 'contact', codes)}
        and ${noneSince(ofLineage, handed, to.id)}`;
      // A foreign key keeps a contact to which a domain refers since.
      await changeEach(operation, { moved }, isAsSeen);
    };
    const deleted = copied + replaced.length;
    return { outcome: { handedOver: handed.length, deleted, kept, last }, write };
  };
  return writeMany(operation, `registrar ${registrar}`, plan);
}

const isEqualOf = (one: Contact, contact: Contact) =>
  firstId(one) === firstId(contact) && isStillCopy(one, contact);

interface Replaced {
  contact: ContactWithRegistrar;
  copy: Contact & { domains: number };
}

/** A domain that refers to a contact, if possible one of another registrar. */
interface Link {
  contact: number;
  isOwn: 0 | 1;
  name: string;
  registrar: string;
}

/** In the order of numbers; one round trip. */
async function readPage(db: Database, from: number, to: number, after: number) {
  const isNext = sql`registrar_id = ${from} and number > ${after} order by number limit ${contactsOfBatch}`;
  const ids = sql`select id from ${contacts} where ${isNext}`;
  const firstIds = sql`select ${lineageOf(contacts)} from ${contacts} where id in (${ids})`;
  const [page, equals, links] = await db.batch([
    selectContacts(db)
      .where(and(eq(contacts.registrarId, from), gt(contacts.number, after)))
      .orderBy(contacts.number)
      .limit(contactsOfBatch),
    db
      .select({
        ...getTableColumns(contacts),
        domains: sql<number>`(select count(distinct domain_id) from ${domainContacts}
          where contact_id = ${contacts.id})`.as('domains'),
      })
      .from(contacts)
      .where(isOfLineages(firstIds, to))
      .orderBy(desc(contacts.id)),
    db
      .select({
        contact: domainContacts.contactId,
        // SQLite takes the other columns from the row of the minimum.
        isOwn: sql<0 | 1>`min(${domains.registrarId} = ${from})`.as('is_own'),
        name: domains.name,
        registrar: sql<string>`${registrars.code}`.as('registrar'),
      })
      .from(domainContacts)
      .innerJoin(domains, eq(domains.id, domainContacts.domainId))
      .innerJoin(registrars, eq(registrars.id, domains.registrarId))
      .where(sql`${domainContacts.contactId} in (${ids})`)
      .groupBy(domainContacts.contactId),
  ]);
  const linkOf = new Map(links.map((link): [number, Link] => [link.contact, link]));
  return { page, ofLineage: Map.groupBy(equals, firstId), linkOf };
}

type Coming = Contact & { isLinked: number };

/** By lineage, what a dry run takes as transferred already: contacts of the registrar's domains, and its own without one. */
async function readComing(db: Database, page: readonly Contact[], from: number, to: number) {
  const firstIds = sql`select value from json_each(${JSON.stringify(page.map(firstId))})`;
  const isLinked = sql<number>`exists (select 1 from ${domainContacts}
    join ${domains} on domains.id = domain_id
    where contact_id = contacts.id and domains.registrar_id = ${from})`;
  const rows = await db
    .select({ ...getTableColumns(contacts), isLinked: isLinked.as('is_linked') })
    .from(contacts)
    .where(
      sql`${isOfLineagesAnywhere(firstIds)}
        and +${contacts.registrarId} <> ${to}
        and (is_linked or ${contacts.registrarId} = ${from} and domain_count = 0)`,
    );
  return Map.groupBy(rows, firstId);
}

/** Whether the other registrar gets an equal contact of the lineage before. */
function comesBefore(contact: Contact, coming: ReadonlyMap<number, readonly Coming[]>): boolean {
  const others = coming.get(firstId(contact)) ?? [];
  return others.some(
    (one) =>
      one.id !== contact.id &&
      (one.isLinked === 1 || one.number < contact.number) &&
      isEqualOf(one, contact),
  );
}

function changesFor(
  operation: Operation,
  replaced: readonly Replaced[],
  handed: readonly ContactWithRegistrar[],
  to: { id: number; code: string },
): ChangesOfMany[] {
  const { db, origin } = operation;
  const { at } = origin.request;
  const handovers = handed.map((contact, index) => handover(operation, contact, to, index));
  const deletions = replaced.map(({ contact }) => ({
    ...contactSubject(contact),
    changes: changesOfDeletion(contact),
  }));
  const notices = replaced.map(
    ({ contact: { code, registrarId }, copy }): NewNotification => ({
      registrarId,
      event: 'contact.deleted',
      cause: 'transfer',
      text: `Contact ${code} has been deleted by registry, because ${copy.code} has replaced it`,
      subjectKey: code,
      fields: [],
      createdAt: at.toISOString(),
    }),
  );
  const moved = [
    ...jsonArrays(handovers.map(({ row }) => row))
      .map(rowsIn)
      .map((rows) => {
        // A row never changes its registrar (migrations/0001_triggers.sql).
        const statements = [deleteContacts(db, rows), insertContacts(db, rows, at)];
        return changesOfRows('contact', 'update', rows, statements);
      }),
    ...demandsFor(operation, replaced, to.code),
    ...jsonArrays(deletions)
      .map(rowsIn)
      .map((rows) => changesOfRows('contact', 'delete', rows, [deleteContacts(db, rows)])),
  ];
  return withNotifications(db, moved, [...handovers.flatMap((one) => one.notices), ...notices]);
}

/** Gives the demands of contacts that are deleted to those that replace them. */
function demandsFor(
  operation: Operation,
  replaced: readonly Replaced[],
  registrar: string,
): ChangesOfMany[] {
  const before = new Map(replaced.map(({ copy }) => [copy.id, copy]));
  const after = new Map(before);
  for (const { contact, copy } of replaced) {
    const joined = joinDemands(after.get(copy.id)!, contact.verificationDemand);
    after.set(copy.id, { ...copy, verificationDemand: joined });
  }
  return [...after.values()].flatMap(({ verificationDemand, ...copy }) => {
    const present = before.get(copy.id)!;
    const update = rowUpdate(operation, { ...present, registrar }, { verificationDemand });
    if (Object.keys(update.changes).length === 0) return [];
    const demand = openDemand({ ...copy, verificationDemand });
    const notice = demand && demandNotice(copy.code, copy.domains, demand);
    const { statements = [] } = notifyRegistrar(operation.db, copy, update, notice);
    const row = { ...contactSubject({ ...present, registrar }), changes: update.changes };
    return [changesOfRows('contact', 'update', rowsIn(JSON.stringify([row])), statements)];
  });
}

/** One open demand replaces none or a met one; of two open ones, all claims are due on the earlier day. */
function joinDemands(
  contact: Contact,
  other: VerificationDemand | null,
): VerificationDemand | null {
  const { verificationDemand: own } = contact;
  if (!own || !other) return own ?? other;
  const isOpen = (demand: VerificationDemand) =>
    openDemand({ ...contact, verificationDemand: demand }) !== null;
  if (!isOpen(other)) return own;
  if (!isOpen(own)) return other;
  const both = claims.filter((claim) => [...own.claims, ...other.claims].includes(claim));
  return { claims: both, by: [own.by, other.by].sort()[0]! };
}
