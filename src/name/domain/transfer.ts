import { and, desc, ne, sql } from 'drizzle-orm';
import { contacts, domainContacts, domains } from '../../../drizzle/schema.ts';
import { isIn, jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { nothingSince } from '../../change/history/search.ts';
import type { Operation } from '../../change/origin.ts';
import {
  changeEach,
  changesOfRows,
  type SeenOperation,
  writeMany,
} from '../../change/write-many.ts';
import { copyFor, firstId, isOfLineages, isStillCopy, noneSince } from '../../contact/copy.ts';
import { insertContacts } from '../../contact/create.ts';
import { lineageOf } from '../../contact/same-person.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { type NewNotification, withNotifications } from '../../party/registrar/notification.ts';
import type { DomainName } from '../name.ts';
import { domainChanges, domainRow } from './change.ts';
import { getDomain, type StoredDomain } from './read.ts';

interface TransferredDomain extends StoredDomain {
  /** By the code of each contact of another registrar, the code of the copy in its place. */
  copies: Record<string, string>;
  notified: number[];
}

/**
 * Gives the domain to another registrar in one batch, and returns it. A copy replaces each contact of other registrars:
 * one of the same lineage (the first contact, or a copy of it) that the registrar has, if its values are equal, or a new one with its own code and auth_info. Owners and
 * the new registrar are notified. Does nothing if the registrar has the domain already. A dry run returns codes that the
 * transfer will not use. `beforeCopying` gets the number of replaced contacts, and throws to refuse. Throws `not_found`,
 * and `changed_meanwhile` if the domain or a contact has changed since it was `seen`.
 */
export async function transferDomain(
  operation: SeenOperation,
  name: DomainName,
  registrar: string,
  beforeCopying?: (contacts: number) => Promise<void>,
): Promise<TransferredDomain> {
  const { db } = operation;
  const plan = async (lastEntryId: number) => {
    const present = await getDomain(db, name.name);
    const to = await getRegistrar(db, registrar);
    const all = [{ name, present }];
    const planned = await planTransfer(operation, all, to, lastEntryId, beforeCopying);
    const [{ transferred } = { transferred: present }] = planned.rows;
    const { copies, notified } = planned;
    return { outcome: { ...transferred, copies, notified }, write: planned.write };
  };
  return writeMany<TransferredDomain>(operation, `domain ${name.name}`, plan);
}

/** Plans one batch for all that the registrar has not. A contact of several of them gets one copy. */
export async function planTransfer(
  operation: Operation,
  all: readonly { name: DomainName; present: StoredDomain }[],
  { id: to, code: registrar }: { id: number; code: string },
  lastEntryId: number,
  beforeCopying?: (contacts: number) => Promise<void>,
) {
  const { db, origin } = operation;
  const { at } = origin.request;
  const others = all.filter(({ present }) => present.registrar !== registrar);
  const copies: Record<string, string> = {};
  if (others.length === 0) return { rows: [], copies, notified: [], write: async () => {} };
  const names = others.map(({ name }) => name.name);
  const { linked, ofLineage } = await findContacts(db, names, to);
  await beforeCopying?.(linked.length);
  const newCopies: ReturnType<typeof copyFor>[] = [];
  for (const contact of linked) {
    const equal = ofLineage.get(firstId(contact))?.find((other) => isStillCopy(other, contact));
    if (!equal) newCopies.push(copyFor(registrar, contact, origin, newCopies.length));
    copies[contact.code] = (equal ?? newCopies.at(-1)!).code;
  }
  // The domain may have an earlier copy already.
  const now = (codes: readonly string[]) =>
    [...new Set(codes.map((code) => copies[code] ?? code))].sort();
  const rows = others.map(({ name, present }) => {
    const { registrant } = present;
    const transferred: StoredDomain = {
      ...present,
      registrar,
      registrant: registrant && now([registrant])[0]!,
      admin: now(present.admin),
      tech: now(present.tech),
    };
    return { name, present, transferred };
  });
  const notifications = rows.flatMap(({ name, present }) => {
    const codes = new Set([present.registrant, ...present.admin, ...present.tech]);
    return linked
      .filter(({ code }) => codes.has(code))
      .flatMap(({ code, registrarId }): NewNotification[] => {
        const copy = copies[code]!;
        const notice: Omit<NewNotification, 'registrarId' | 'subjectKey'> = {
          event: 'contact.updated',
          cause: 'transfer',
          text: `Contact ${copy} has replaced ${code}, because domain ${name.name} has been transferred from ${present.registrar} to ${registrar} by registry`,
          fields: [],
          createdAt: at.toISOString(),
        };
        return [
          { ...notice, registrarId, subjectKey: code },
          { ...notice, registrarId: to, subjectKey: copy },
        ];
      });
  });
  const notified = [...new Set(notifications.map(({ registrarId }) => registrarId))];
  const write = () => {
    const copied = jsonArrays(newCopies)
      .map(rowsIn)
      .map((query) => changesOfRows('contact', 'create', query, [insertContacts(db, query, at)]));
    const transferred = jsonArrays(
      rows.map((row) => domainRow({ ...row.name, ...row.transferred }, row.present)),
    ).map((array) => domainChanges(operation, 'update', array));
    const changes = {
      // Copies come first, because the history of the domain records their UUIDs.
      copied,
      transferred: withNotifications(db, transferred, notifications),
    };
    const isAsSeen = sql`${nothingSince(lastEntryId, 'domain', names)}
      and ${nothingSince(lastEntryId, 'contact', Object.entries(copies).flat())}
      and ${noneSince(ofLineage, linked, to)}`;
    return changeEach(operation, changes, isAsSeen);
  };
  return { rows, copies, notified, write };
}

/**
 * The domains' contacts of other registrars, and for each the contacts of its lineage that this registrar has, the newest
 * first. One round trip.
 */
async function findContacts(db: Database, names: readonly string[], registrarId: number) {
  const links = sql`from ${domainContacts} join ${domains} on ${domains.id} = domain_id
    where ${isIn(domains.name, JSON.stringify(names))}`;
  const lineages = sql`select ${lineageOf(contacts)} from ${contacts}
    where registrar_id <> ${registrarId} and ${contacts.id} in (select contact_id ${links})`;
  const [linked, ofRegistrar] = await db.batch([
    db
      .select()
      .from(contacts)
      .where(
        and(
          ne(contacts.registrarId, registrarId),
          sql`${contacts.id} in (select contact_id ${links})`,
        ),
      )
      .orderBy(contacts.id),
    db
      .select()
      .from(contacts)
      .where(isOfLineages(lineages, registrarId))
      .orderBy(desc(contacts.id)),
  ]);
  return { linked, ofLineage: Map.groupBy(ofRegistrar, firstId) };
}
