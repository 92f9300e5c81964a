import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, disclosures, history, idempotencyKeys } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { Problem } from '../../base/error.ts';
import { type Contact, findProhibition, selectContacts } from '../contact.ts';
import { isAboutContact } from '../entries.ts';
import { contactColumns } from '../fields.ts';
import { isPersonalValue } from '../recorded-values.ts';

export type Identifiers = Pick<Contact, 'code' | 'uuid'>;

/** An erasure's extent. The history still shows who changed which field, and when. */
export interface Erasure extends Identifiers {
  /** Its personal fields with values; undefined for a deleted contact. */
  contact: string[] | undefined;
  /** Entries and fields with personal values, and the registrants who made changes, whose names stay. */
  history: { entries: number; fields: string[]; actors: string[] };
  outcomes: number;
  disclosures: number;
  /** The codes of contacts with the same identity; they are not erased. */
  others: string[];
  /** Deleted contacts with the same identity, of which the history has values. */
  deletedOthers: Identifiers[];
}

type Extent = Omit<Erasure, 'contact' | 'code' | 'uuid' | 'others' | 'deletedOthers'>;

export function isErasing(erasure: Extent & { contact: unknown }): boolean {
  const { contact, history, outcomes, disclosures } = erasure;
  return contact !== undefined || history.entries + outcomes + disclosures > 0;
}

/** Includes what prevents the erasure: `linked` while a domain refers to the contact, or `delete_prohibited`. */
export async function readErasure(db: Database, contact: Pick<Contact, 'uuid'>) {
  const isAbout = isAboutContact(sql`${contact.uuid}`);
  const [[row], [values], actors, [kept], [disclosed], [newest]] = await db.batch([
    selectContacts(db).where(eq(contacts.uuid, contact.uuid)),
    db
      .select({
        entries: sql<number>`count(distinct ${history.id})`,
        fields: sql<string>`json_group_array(distinct key)`,
      })
      .from(history)
      .crossJoin(sql`json_each(${history.changes})`)
      .where(and(isAbout, isPersonalValue)),
    db
      .selectDistinct({ actor: history.actor })
      .from(history)
      .where(and(isAbout, eq(history.actorType, 'registrant'))),
    db.select({ outcomes: sql<number>`count(*)` }).from(idempotencyKeys).where(isCopyOf(contact)),
    db
      .select({ count: sql<number>`count(*)` })
      .from(disclosures)
      .where(eq(disclosures.contactUuid, contact.uuid)),
    db
      .select({ id: history.id, registrar: history.registrar })
      .from(history)
      .where(isAbout)
      .orderBy(desc(history.id))
      .limit(1),
  ]);
  const fields = new Set<string>(JSON.parse(values!.fields));
  return {
    contact: row,
    problem: row && (linkProblem(row) ?? findProhibition(row, 'Delete')),
    registrar: newest?.registrar ?? null,
    lastEntryId: newest?.id ?? 0,
    history: {
      entries: values!.entries,
      fields: contactColumns.map(([column]) => column).filter((column) => fields.has(column)),
      actors: actors.map(({ actor }) => actor),
    },
    outcomes: kept!.outcomes,
    disclosures: disclosed!.count,
  };
}

/** The registry has to know who holds a domain. */
function linkProblem({ code, domainCount }: Contact): Problem | undefined {
  if (domainCount === 0) return undefined;
  const message =
    `domains refer to ${code}, and the registry must know their contacts; ` +
    `give the domains another contact first`;
  const command = ['domain', 'list', '--contact', code];
  return { reason: 'linked', message, field: 'domains', command };
}

/** Matches kept outcomes with the person's data; others have only the contact's code. */
export function isCopyOf({ uuid }: Pick<Contact, 'uuid'>): SQL {
  return sql`${idempotencyKeys.outcome} ->> '$.uuid' = ${uuid}`;
}
