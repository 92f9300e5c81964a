import { and, eq } from 'drizzle-orm';
import { claims, contacts, type Verification } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { dayOf } from '../base/time/day.ts';
import { type Changes, changesRepresentation, difference } from '../change/history/changes.ts';
import type { Operation } from '../change/origin.ts';
import { type Change, changeOf, type Written, write } from '../change/write.ts';
import { keyHolderOf, type RegistrarCall, withLogin } from '../party/registrar/login.ts';
import { addNotification, type NewNotification } from '../party/registrar/notification.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  changeTime,
  contactSubject,
  isUnchanged,
  keysOf,
  nextVersion,
  theContact,
} from './contact.ts';
import { verificationColumn } from './fields.ts';
import { contactByCode } from './read.ts';
import { checksAfter, demandAfter } from './verifications.ts';

/**
 * Runs `loadContext` after each look, unless the outcome is known from an earlier request. Two round trips. Throws
 * `not_found`, and what `judge`, `loadContext` and `withLogin` throw.
 */
export function writeContact<Outcome, Context = undefined>(
  { db, login, request }: RegistrarCall,
  code: string,
  judge: (operation: Operation, contact: ContactWithRegistrar, context: Context) => Change<Outcome>,
  loadContext?: (contact: Contact) => Promise<Context>,
): Promise<Written<Outcome>> {
  return write(db, request, {
    async look(keptFor) {
      const [caller, kept, rows] = await withLogin(db, login, (registrarId) => [
        keptFor(keyHolderOf(login, registrarId)),
        contactByCode(db, registrarId, code),
      ]);
      const context = kept.length === 0 ? await loadContext?.(theContact(rows)) : undefined;
      return { caller, kept, rows, context };
    },
    judge({ caller, rows, context }) {
      const contact = { ...theContact(rows), registrar: caller.registrarCode };
      return judge({ db, origin: { actor: caller.actor, request } }, contact, context as Context);
    },
  });
}

/** Also ends the verifications of changed values, and a demand that was met in time. The outcome is the updated contact. */
export function rowUpdate(
  operation: Operation,
  contact: ContactWithRegistrar,
  values: Partial<Contact>,
): Change<Contact> {
  const { db, origin } = operation;
  const { actor, request } = origin;
  const given: Partial<Contact> = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  );
  const checks = checksAfter(contact, difference(contact, given));
  const after = { ...contact, ...given, ...checks };
  const newValues = { ...given, ...checks, ...demandAfter(contact, after, dayOf(request.at)) };
  const changes = difference(contact, newValues);
  const update = {
    ...changeOf(operation, contactSubject(contact)),
    action: 'update',
    changes,
    onlyIf: isUnchanged(contact),
  } as const;
  if (Object.keys(changes).length === 0) return { ...update, outcome: contact };
  const { registrarId } = contact;
  const keys = Object.entries(keysOf({ ...contact, ...newValues }));
  const row = {
    ...newValues,
    // Setting a column writes its index, even if the value is the same.
    ...Object.fromEntries(keys.filter(([key, value]) => value !== contact[key as keyof Contact])),
    updater: actor.name,
    version: nextVersion(request.at, contact.version),
  };
  return {
    ...update,
    statements: [
      db
        .update(contacts)
        .set({ ...row, updatedAt: changeTime(registrarId, request.at) })
        .where(and(eq(contacts.id, contact.id), update.isWritten)),
    ],
    outcome: { ...contact, ...row, updatedAt: request.at.toISOString() },
  };
}

/**
 * Adds a notification of the contact's registrar and its delivery to somebody else's change. By default, the text says
 * what was done and by whom.
 */
export function notifyRegistrar<Outcome>(
  db: Database,
  { code, registrarId }: Pick<Contact, 'code' | 'registrarId'>,
  change: Change<Outcome>,
  notice: Pick<NewNotification, 'event' | 'text'> | null = null,
): Change<Outcome> {
  const { origin, action, changes } = change;
  if (action === 'create') return change;
  const who = origin.actor.type === 'registrant' ? 'registrant' : 'registry';
  const notification = {
    registrarId,
    event: `contact.${action}d`,
    cause: null,
    text: `Contact ${code} has been ${action}d by ${who}${endedText(changes)}`,
    subjectKey: code,
    // A deleted contact has no fields.
    fields: action === 'delete' ? [] : Object.keys(changesRepresentation(changes)),
    createdAt: origin.request.at.toISOString(),
    ...notice,
  } as const;
  return addNotification(db, change, notification);
}

function endedText(changes: Changes): string {
  const ended = claims.filter((claim) => {
    const change = changes[verificationColumn[claim]] as
      | Partial<Record<'from' | 'to', Verification | null>>
      | undefined;
    return change?.from?.result === 'success' && change.to?.result === 'ended';
  });
  if (ended.length === 0) return '';
  const list = new Intl.ListFormat('en').format(ended);
  return `; the verification of its ${list} has ended`;
}
