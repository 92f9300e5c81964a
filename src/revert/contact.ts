import { and, asc, eq, sql } from 'drizzle-orm';
import { contacts, history, registrars } from '../../drizzle/schema.ts';
import { notifyingRegistrar, rowUpdate } from '../contact/change.ts';
import { changeTime } from '../contact/change-time.ts';
import { type Contact, generateAuthInfo, subjectOf } from '../contact/contact.ts';
import { nextNumber } from '../contact/create.ts';
import { keysOf } from '../contact/keys.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import { RegistryError } from '../error.ts';
import { difference } from '../history/changes.ts';
import { type Change, type Origin, write } from '../write.ts';
import { planRevert } from './plan.ts';
import { type Reversal, valuesAfter } from './reversal.ts';

/**
 * Takes back the change of a contact, of which its registrar is notified as of any other. A contact that was deleted
 * keeps its code, its UUID and the time of its creation; its record id and its auth_info are new. Throws what
 * `planRevert` throws.
 */
export async function revertContact(
  db: Database,
  origin: Origin,
  { request, uuid }: { request: string; uuid: string },
): Promise<void> {
  await write(db, origin.request, {
    async look() {
      // The contact before its history: a change between the two is seen in the history.
      const [contact] = await db.select().from(contacts).where(eq(contacts.uuid, uuid));
      const [reversal] = (await planRevert(db, origin, request)).reversals;
      if (!reversal) {
        throw new RegistryError('changed_meanwhile', 'somebody else took it back just now');
      }
      return { contact, reversal, before: await loadBefore(db, reversal) };
    },
    judge({ contact, reversal, before }): Change<unknown> {
      if (!contact) return reinstatement(db, reversal, before, origin);
      const values: Partial<Contact> = valuesAfter(reversal.changes);
      const update = rowUpdate(db, contact, values, difference(contact, values), origin);
      return notifyingRegistrar(db, contact, update, origin.request.at);
    },
  });
}

/** Reads the values that the entry of the deletion lacks. The entry of the creation may have been archived. */
async function loadBefore(db: Database, { key, uuid }: Reversal) {
  const [[registrar], [creation]] = await db.batch([
    db
      .select()
      .from(registrars)
      .where(eq(registrars.code, key.slice(0, key.indexOf(':')))),
    db
      .select()
      .from(history)
      .where(
        and(
          eq(history.subject, 'contact'),
          eq(history.subjectKey, key),
          eq(history.subjectUuid, uuid!),
          eq(history.action, 'create'),
        ),
      )
      .orderBy(asc(history.id))
      .limit(1),
  ]);
  // An import may bring its own time and creator.
  const given: Partial<Contact> = valuesAfter(creation?.changes ?? {});
  return {
    registrarId: registrar!.id,
    createdAt: given.createdAt ?? creation?.occurredAt,
    creator: given.creator ?? creation?.actor,
  };
}

function reinstatement(
  db: Database,
  { key: code, uuid, changes }: Reversal,
  { registrarId, createdAt, creator }: Awaited<ReturnType<typeof loadBefore>>,
  { actor, request }: Origin,
): Change<undefined> {
  const at = request.at.toISOString();
  // The history of the deletion has every required field, or the plan refuses.
  const content = valuesAfter(changes) as Contact;
  const contact = {
    ...content,
    ...keysOf(content),
    authInfo: generateAuthInfo(),
    uuid: uuid!,
    code,
    registrarId,
    number: nextNumber(registrarId),
    // Above every version that the contact had: each has its own entry of history.
    version: sql<number>`(select max(id) from ${history})`,
    unlinkedAt: at,
    creator: creator ?? actor.name,
    updater: actor.name,
    createdAt: createdAt ?? at,
    updatedAt: changeTime(registrarId, request.at),
  };
  return {
    by: actor,
    subject: subjectOf(contact),
    action: 'create',
    changes,
    onlyIf: sql`not exists (select 1 from ${contacts} where code = ${code})`,
    statements: (isWritten) => [insertRows(db, contacts, contact, sql`where ${isWritten}`)],
    outcome: undefined,
    onViolation: (error) => (isUniqueViolation(error, 'contacts.') ? 'again' : undefined),
  };
}
