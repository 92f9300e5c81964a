import { and, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, disclosures, history } from '../../../drizzle/schema.ts';
import type { Changes } from '../../change/history/changes.ts';
import type { Operation } from '../../change/origin.ts';
import { checkExpected, write } from '../../change/write.ts';
import { contactSubject } from '../contact.ts';
import { endsHolder, isAboutContact, sameIdentitySince } from '../entries.ts';
import { verificationColumn } from '../fields.ts';
import { identityKey } from '../identity-code.ts';
import { hasValues } from '../recorded-values.ts';
import { identifyContact, removalOf } from './erase.ts';

/** Checks that have ended say who was checked, and by which reference; nothing shows them. */
const withoutEnded = Object.fromEntries(
  Object.values(verificationColumn).map((column) => [
    column,
    sql`iif(${contacts[column]} ->> '$.result' = 'ended', null, ${contacts[column]})`,
  ]),
);

export interface FormerErasure {
  code: string;
  uuid: string;
  /** Entries of history whose values go, the one of the correction among them; 0 if nothing is left of the person. */
  entries: number;
  disclosures: number;
}

/**
 * Removes what the history keeps of whoever had the contact, given by its code or UUID, before its identity was last
 * corrected, if the person with this identity code is among them; and that person from disclosures. The contact
 * stays, and so do notes on statuses. Throws `not_found`, and `invalid` for a code that several contacts had.
 */
export async function eraseFormerHolder(
  operation: Operation,
  codeOrUuid: string,
  ident: string,
): Promise<FormerErasure> {
  const { db, origin } = operation;
  const contact = await identifyContact(db, codeOrUuid);
  const isAbout = isAboutContact(sql`${contact.uuid}`);
  const isTheirs = sql`contact_uuid = ${contact.uuid} and ident_key = ${identityKey(ident)}`;
  const look = async () => {
    const [former] = await db
      .select({ registrar: history.registrar, end: sameIdentitySince(sql`${contact.uuid}`) })
      .from(history)
      .where(and(isAbout, endsHolder(ident)))
      .limit(1);
    const { end = 0, registrar = null } = former ?? {};
    // A check that had ended may stand in an entry of the present person.
    const hasEndedCheck = sql`exists (
      select 1 from json_each(${history.changes}) where 'ended' in (value ->> '$.from.result', value ->> '$.to.result'))`;
    const isPast = sql`(${history.id} <= ${end} or ${hasEndedCheck}) and ${end} > 0`;
    const isMeant = sql`${isAbout} and ${isPast} and ${hasValues(sql`${history.changes}`)}`;
    const [entries, disclosed] = await Promise.all([
      db.$count(history, isMeant),
      db.$count(disclosures, isTheirs),
    ]);
    return { end, registrar, isMeant, entries, disclosed };
  };
  const judge = (seen: Awaited<ReturnType<typeof look>>) => {
    const { end, registrar, isMeant, entries, disclosed } = seen;
    checkExpected(origin.request, `${contact.uuid} ${end}`);
    const isNothing = entries + disclosed === 0;
    return {
      by: origin.actor,
      subject: contactSubject({ ...contact, registrar }),
      action: 'update' as const,
      changes: (isNothing ? {} : { formerHolder: { removed: true } }) as Changes,
      outcome: { ...contact, entries, disclosures: disclosed },
      ...(!isNothing && {
        statements: (isWritten: SQL) => [
          ...removalOf(db, contact, { entries: isMeant, disclosed: isTheirs }, isWritten),
          db
            .update(contacts)
            .set(withoutEnded)
            .where(and(eq(contacts.uuid, contact.uuid), isWritten)),
        ],
      }),
    };
  };
  return (await write(db, origin.request, { look, judge }, operation)).outcome;
}
