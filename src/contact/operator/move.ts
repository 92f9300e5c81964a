import { and, desc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import { contacts, domainContacts, domains, registrars } from '../../../drizzle/schema.ts';
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
    const kept: KeptContact[] = [];
    const replaced: Replaced[] = [];
    const handed: ContactWithRegistrar[] = [];
    let copied = 0;
    for (const contact of page) {
      const link = linkOf.get(contact.id);
      const copy = ofLineage.get(firstId(contact))?.find((one) => isStillCopy(one, contact));
      if (isDryRun && link?.isOwn) copied += 1;
      else if (link)
        kept.push({ code: contact.code, domain: link.name, registrar: link.registrar });
      else if (copy) replaced.push({ contact, copy });
      else handed.push(contact);
    }
    const last = page.length < contactsOfBatch ? undefined : page.at(-1)!.number;
    const write = async () => {
      const changed = [...replaced.map(({ contact }) => contact), ...handed];
      if (changed.length === 0) return;
      const moved = changesFor(operation, replaced, handed, to);
      const ids = JSON.stringify(changed.map(({ id }) => id));
      const codes = [...changed, ...replaced.map(({ copy }) => copy)].map(({ code }) => code);
      const isAsSeen = sql`${nothingSince(lastEntryId, 'contact', codes)}
        and ${noneSince(ofLineage, handed, to.id)}
        and not exists (select 1 from ${contacts}
          where id in (select value from json_each(${ids})) and domain_count > 0)`;
      await changeEach(operation, { moved }, isAsSeen);
    };
    const deleted = copied + replaced.length;
    return { outcome: { handedOver: handed.length, deleted, kept, last }, write };
  };
  return writeMany(operation, `registrar ${registrar}`, plan);
}

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

/** Gives the demands of contacts that are deleted to those that replace them and have none. */
function demandsFor(
  operation: Operation,
  replaced: readonly Replaced[],
  registrar: string,
): ChangesOfMany[] {
  const demands = new Map(
    replaced
      .filter(({ contact, copy }) => contact.verificationDemand && !copy.verificationDemand)
      .map(({ contact, copy }) => [copy.id, { contact, copy }]),
  );
  return Array.from(demands.values(), ({ contact, copy }) => {
    const { verificationDemand } = contact;
    const update = rowUpdate(operation, { ...copy, registrar }, { verificationDemand });
    const demand = openDemand(contact);
    const notice = demand && demandNotice(copy.code, copy.domains, demand);
    const { statements = [] } = notifyRegistrar(operation.db, copy, update, notice);
    const row = { ...contactSubject({ ...copy, registrar }), changes: update.changes };
    return changesOfRows('contact', 'update', rowsIn(JSON.stringify([row])), statements);
  });
}
