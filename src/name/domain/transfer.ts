import { and, ne, sql } from 'drizzle-orm';
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
import { copyFor, insertContacts } from '../../contact/create.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { insertNotifications, type NewNotification } from '../../party/registrar/notification.ts';
import { domainChanges, domainRow } from './change.ts';
import type { DomainName } from './name.ts';
import { getDomain, type Recorded } from './read.ts';

export interface TransferredDomain extends Recorded {
  copies: Record<string, string>;
  notified: number[];
}

/**
 * Gives the domain to another registrar in one batch, and returns it. One copy, with a new code and auth_info, replaces
 * each contact of other registrars; their owners and the new registrar are notified. Does nothing if the registrar has
 * the domain already. A dry run returns codes that the transfer will not use. `beforeCopying` gets the number of
 * copies, and throws to refuse. Throws `not_found`, and `changed_meanwhile` if the domain or a contact has changed
 * since it was `seen`.
 */
export async function transferDomain(
  operation: SeenOperation,
  name: DomainName,
  registrar: string,
  beforeCopying?: (copies: number) => Promise<void>,
): Promise<TransferredDomain> {
  const { db, origin } = operation;
  const { at } = origin.request;
  const plan = async (lastEntryId: number) => {
    const present = await getDomain(db, name.name);
    const { id: to } = await getRegistrar(db, registrar);
    if (present.registrar === registrar) {
      return { outcome: { ...present, copies: {}, notified: [] }, write: async () => {} };
    }
    const linked = await linkedContacts(db, name.name, to);
    await beforeCopying?.(linked.length);
    const rows = linked.map((contact, index) => copyFor(registrar, contact, origin, index));
    const copies = Object.fromEntries(linked.map(({ code }, index) => [code, rows[index]!.code]));
    const now = (codes: readonly string[]) => codes.map((code) => copies[code] ?? code).sort();
    const transferred: Recorded = {
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
        and ${nothingSince(lastEntryId, 'contact', Object.keys(copies))}`;
      return changeEach(operation, changes, isAsSeen);
    };
    return { outcome: { ...transferred, copies, notified }, write };
  };
  return writeMany<TransferredDomain>(operation, `domain ${name.name}`, plan);
}

function linkedContacts(db: Database, name: string, registrarId: number): Promise<Contact[]> {
  const links = sql`(
    select contact_id from ${domainContacts} join ${domains} on ${domains.id} = domain_id
    where ${domains.name} = ${name})`;
  return db
    .select()
    .from(contacts)
    .where(and(ne(contacts.registrarId, registrarId), sql`${contacts.id} in ${links}`))
    .orderBy(contacts.id);
}
