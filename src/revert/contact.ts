import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { contacts, history } from '../../drizzle/schema.ts';
import { notifyingRegistrar, rowUpdate } from '../contact/change.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  contactSubject,
  generateAuthInfo,
  selectContacts,
} from '../contact/contact.ts';
import { insertContacts } from '../contact/create.ts';
import { changesOfDeletion, deleteContacts } from '../contact/delete.ts';
import { keysOf } from '../contact/keys.ts';
import { isIn, jsonArrays, rowsIn } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { RegistryError } from '../error.ts';
import { insertNotification } from '../registrar/notification.ts';
import { type Change, type ChangesOfMany, changesOfRows, type Origin, write } from '../write.ts';
import { planRevert } from './plan-revert.ts';
import { type Reversal, valuesAfter } from './reversal.ts';

/**
 * Takes back the change of a contact, of which its registrar is notified as of any other. A contact that was deleted
 * keeps its code, its UUID, its registrar and the time of its creation; its record id and its auth_info are new. Throws
 * what `planRevert` throws.
 */
export async function revertContact(
  db: Database,
  origin: Origin,
  { request, uuid }: { request: string; uuid: string },
): Promise<void> {
  await write(db, origin.request, {
    async look() {
      // The contact before its history: a change between the two is seen in the history.
      const [contact] = await selectContacts(db).where(eq(contacts.uuid, uuid));
      const { reversals, seen } = await planRevert(db, origin, request);
      const [reversal] = reversals;
      if (!reversal) {
        throw new RegistryError('changed_meanwhile', 'somebody else took it back just now');
      }
      return { contact, reversal, seen, before: await loadBefore(db, reversal) };
    },
    judge({ contact, reversal, seen, before }): Change<unknown> {
      if (!contact) return reinstatement(db, reversal, seen, before, origin);
      const values: Partial<Contact> = valuesAfter(reversal.changes);
      const update = rowUpdate(db, contact, values, origin);
      return notifyingRegistrar(db, contact, update, origin.request.at);
    },
  });
}

/** The changes that delete contacts which a command has added. Each registrar gets one notification. */
export async function contactDeletions(
  db: Database,
  { request }: Origin,
  reversals: readonly Reversal[],
): Promise<ChangesOfMany[]> {
  const all: ContactWithRegistrar[] = [];
  for (const uuids of jsonArrays(reversals.map(({ uuid }) => uuid))) {
    all.push(
      ...(await selectContacts(db).where(isIn(contacts.uuid, uuids)).orderBy(contacts.code)),
    );
  }
  const deletions = jsonArrays(
    all.map((contact) => ({ ...contactSubject(contact), changes: changesOfDeletion(contact) })),
  )
    .map(rowsIn)
    .map((rows) => changesOfRows('contact', 'delete', rows, [deleteContacts(db, rows)], 'key'));
  const ofRegistrars = [...Map.groupBy(all, ({ registrarId }) => registrarId)];
  const notices = ofRegistrars.flatMap(([registrarId, [first, ...others]]) =>
    insertNotification(db, {
      registrarId,
      event: 'contact.deleted',
      text:
        others.length === 0
          ? `Contact ${first!.code} has been deleted by registry`
          : `Contact ${first!.code} and ${others.length} more that were added with it have been deleted by registry`,
      subjectKey: first!.code,
      fields: [],
      createdAt: request.at.toISOString(),
    }),
  );
  const [last] = deletions.slice(-1);
  return last
    ? [...deletions.slice(0, -1), { ...last, statements: [...last.statements, ...notices] }]
    : [];
}

/** Reads the values that the entry of the deletion lacks. Earlier builds may have archived the entry of the creation. */
async function loadBefore(db: Database, { key, uuid }: Reversal) {
  const [creation] = await db
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
    .limit(1);
  // An import may bring its own time and creator.
  const given: Partial<Contact> = valuesAfter(creation?.changes ?? {});
  const isCreatorGiven = creation !== undefined && 'creator' in creation.changes;
  return {
    createdAt: given.createdAt ?? creation?.occurredAt,
    // Null if it was removed from the history.
    creator: isCreatorGiven ? (given.creator ?? null) : creation?.actor,
  };
}

function reinstatement(
  db: Database,
  reversal: Reversal,
  seen: number,
  before: Awaited<ReturnType<typeof loadBefore>>,
  { actor, request }: Origin,
): Change<undefined> {
  const { key: code, uuid, registrar, changes } = reversal;
  const at = request.at.toISOString();
  const { createdAt = at, creator = actor.name } = before;
  // The history of the deletion has every required field, or the plan refuses.
  const content = valuesAfter(changes) as Contact;
  const contact = {
    ...content,
    ...keysOf(content),
    authInfo: generateAuthInfo(),
    uuid: uuid!,
    code,
    registrar,
    creator,
    updater: actor.name,
    createdAt,
  };
  const row = sql`select ${JSON.stringify(contact)} as row`;
  return {
    by: actor,
    subject: contactSubject(contact),
    action: 'create',
    changes,
    onlyIf: and(hasItsValues(reversal), isUntouched(reversal, seen)),
    statements: (isWritten) => [insertContacts(db, sql`${row} where ${isWritten}`, request.at)],
    outcome: undefined,
  };
}

/** The condition that the entry of the deletion has the values still that were read: none has been removed as personal. */
function hasItsValues({ entry }: Reversal): SQL {
  return sql`exists (
    select 1 from ${history} where id = ${entry.id} and changes = ${JSON.stringify(entry.changes)})`;
}

/** The condition that nothing has happened to the contact, or to another with its code, since the plan. */
function isUntouched({ key, uuid }: Reversal, seen: number): SQL {
  // The plus keeps SQLite from the index by subject, which would lead it through all entries instead of the few new ones.
  return sql`not exists (
    select 1 from ${history} where id > ${seen} and +subject = 'contact'
      and (subject_key = ${key} or subject_uuid = ${uuid}))`;
}
