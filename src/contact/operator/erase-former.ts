import { and, eq, gt, lte, max, type SQL, sql } from 'drizzle-orm';
import {
  changesIdentity,
  contacts,
  disclosures,
  history,
  idempotencyKeys,
} from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import type { Changes } from '../../change/history/changes.ts';
import { type ChangeOptions, checkExpected, type Origin, write } from '../../change/write.ts';
import { contactSubject } from '../contact.ts';
import { isAboutContact } from '../entries.ts';
import { verificationColumn } from '../fields.ts';
import { endsHolder } from '../former-identity.ts';
import { identityKey } from '../identity-code.ts';
import { hasValues, removeValues } from '../recorded-values.ts';
import { identifyContact, isCopyOf, nobody } from './erase.ts';

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
 * Removes what is kept of the person who had the contact, given by its code or UUID, until its identity was corrected from
 * this code; the present person's contact stays, and so do notes on statuses, which are the registry's own. Of several such times, the last one's. Throws `not_found`, and `invalid`
 * for a code that several contacts had.
 */
export async function eraseFormerHolder(
  db: Database,
  origin: Origin,
  codeOrUuid: string,
  ident: string,
  options: ChangeOptions = {},
): Promise<FormerErasure> {
  const contact = await identifyContact(db, codeOrUuid);
  const isAbout = isAboutContact(sql`${contact.uuid}`);
  const isTheirs = and(
    eq(disclosures.contactUuid, contact.uuid),
    eq(disclosures.identKey, identityKey(ident)),
  );
  const lastId = (condition: SQL) =>
    db
      .select({ id: max(history.id), registrar: history.registrar })
      .from(history)
      .where(and(isAbout, condition));
  const look = async () => {
    const [correction] = await lastId(endsHolder(ident));
    const end = correction?.id ?? 0;
    const [[before], disclosed] = await Promise.all([
      lastId(sql`${changesIdentity} and ${history.id} < ${end}`),
      db.$count(disclosures, isTheirs),
    ]);
    const isMeant = and(
      isAbout,
      gt(history.id, before?.id ?? 0),
      lte(history.id, end),
      hasValues(sql`${history.changes}`),
    )!;
    const entries = end === 0 ? 0 : await db.$count(history, isMeant);
    return { end, registrar: correction?.registrar ?? null, isMeant, entries, disclosed };
  };
  const judge = ({
    end,
    registrar,
    isMeant,
    entries,
    disclosed,
  }: Awaited<ReturnType<typeof look>>) => {
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
          ...removeValues(db, and(isMeant, isWritten)!, [1, end], sql`where ${isWritten}`),
          db.delete(idempotencyKeys).where(and(isCopyOf(contact), isWritten)),
          db
            .update(contacts)
            .set(withoutEnded)
            .where(and(eq(contacts.uuid, contact.uuid), isWritten)),
          db.update(disclosures).set(nobody).where(and(isTheirs, isWritten)),
        ],
      }),
    };
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}
