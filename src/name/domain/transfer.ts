import { and, desc, ne, type SQL, sql } from 'drizzle-orm';
import { contacts, domainContacts, domains } from '../../../drizzle/schema.ts';
import { jsonArrays, rowsIn } from '../../base/database/json-rows.ts';
import type { Database } from '../../base/database/open.ts';
import { nothingSince } from '../../change/history/search.ts';
import {
  changeEach,
  changesOfRows,
  type SeenOperation,
  writeMany,
} from '../../change/write-many.ts';
import type { Contact } from '../../contact/contact.ts';
import { copyFor, insertContacts, isStillCopy } from '../../contact/create.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { insertNotifications, type NewNotification } from '../../party/registrar/notification.ts';
import type { DomainName } from '../name.ts';
import { domainChanges, domainRow } from './change.ts';
import { getDomain, type StoredDomain } from './read.ts';

export interface TransferredDomain extends StoredDomain {
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
  const { db, origin } = operation;
  const { at } = origin.request;
  const plan = async (lastEntryId: number) => {
    const present = await getDomain(db, name.name);
    const { id: to } = await getRegistrar(db, registrar);
    if (present.registrar === registrar) {
      return { outcome: { ...present, copies: {}, notified: [] }, write: async () => {} };
    }
    const { linked, ofLineage } = await findContacts(db, name.name, to);
    await beforeCopying?.(linked.length);
    const rows: ReturnType<typeof copyFor>[] = [];
    const copies: Record<string, string> = {};
    for (const contact of linked) {
      const equal = ofLineage.get(firstId(contact))?.find((other) => isStillCopy(other, contact));
      if (!equal) rows.push(copyFor(registrar, contact, origin, rows.length));
      copies[contact.code] = (equal ?? rows.at(-1)!).code;
    }
    // The domain may have an earlier copy already.
    const now = (codes: readonly string[]) =>
      [...new Set(codes.map((code) => copies[code] ?? code))].sort();
    const transferred: StoredDomain = {
      ...present,
      registrar,
      registrant: present.registrant && now([present.registrant])[0]!,
      admin: now(present.admin),
      tech: now(present.tech),
    };
    const notifications = linked.flatMap(({ code, registrarId }): NewNotification[] => {
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
    const notified = [...new Set(notifications.map(({ registrarId }) => registrarId))];
    const write = () => {
      const copied = jsonArrays(rows)
        .map(rowsIn)
        .map((query) => changesOfRows('contact', 'create', query, [insertContacts(db, query, at)]));
      const row = domainRow({ ...name, ...transferred }, present);
      const change = domainChanges(operation, 'update', JSON.stringify([row]));
      const notices = insertNotifications(db, notifications);
      const changes = {
        // Copies come first, because the history of the domain records their UUIDs.
        copied,
        transferred: [{ ...change, statements: [...change.statements, ...notices] }],
      };
      const isAsSeen = sql`${nothingSince(lastEntryId, 'domain', [name.name])}
        and ${nothingSince(lastEntryId, 'contact', Object.entries(copies).flat())}
        and ${noneSince(ofLineage, linked, to)}`;
      return changeEach(operation, changes, isAsSeen);
    };
    return { outcome: { ...transferred, copies, notified }, write };
  };
  return writeMany<TransferredDomain>(operation, `domain ${name.name}`, plan);
}

/**
 * The domain's contacts of other registrars, and for each the contacts of its lineage that this registrar has, the newest
 * first. One round trip.
 */
async function findContacts(db: Database, name: string, registrarId: number) {
  const links = sql`from ${domainContacts} join ${domains} on ${domains.id} = domain_id
    where ${domains.name} = ${name}`;
  const lineages = sql`select ifnull(linked.copied_from, linked.id) from ${contacts} as linked
    where linked.registrar_id <> ${registrarId} and linked.id in (select contact_id ${links})`;
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

const firstId = ({ id, copiedFrom }: Pick<Contact, 'id' | 'copiedFrom'>) => copiedFrom ?? id;

function isOfLineages(firstIds: SQL, registrarId: number): SQL {
  return sql`${contacts.id} in (
    select id from ${contacts} where registrar_id = ${registrarId} and copied_from in (${firstIds})
    union select id from ${contacts} where id in (${firstIds}) and +registrar_id = ${registrarId})`;
}

/** True unless a transfer at the same time has brought another contact of these lineages. */
function noneSince(
  ofLineage: ReadonlyMap<number, readonly Contact[]>,
  linked: readonly Contact[],
  registrarId: number,
): SQL {
  const newest = Math.max(0, ...[...ofLineage.values()].flat().map(({ id }) => id));
  const firstIds = sql`select value from json_each(${JSON.stringify(linked.map(firstId))})`;
  return sql`not exists (select 1 from ${contacts}
    where ${isOfLineages(firstIds, registrarId)} and id > ${newest})`;
}
