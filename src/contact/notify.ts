import type { Database } from '../database/open.ts';
import { shownChanges } from '../history/changes.ts';
import { insertNotification } from '../registrar/notification.ts';
import { insertDelivery } from '../webhook/outbox.ts';
import type { Change } from '../write.ts';
import type { Contact } from './contact.ts';

/**
 * The change with a notification for the contact's registrar, and its way to the registrar's webhook, in the same batch. For changes that the registrar does not
 * make itself: those of a registrant, and those of the registry, by its operator or its scheduled run.
 */
export function notifyingRegistrar<Outcome>(
  db: Database,
  { code, registrarId }: Pick<Contact, 'code' | 'registrarId'>,
  change: Change<Outcome>,
  at: Date,
): Change<Outcome> {
  const { action, by, changes, statement, followedBy = [] } = change;
  if (!statement || action === 'create') return change;
  const who = by.type === 'registrant' ? 'registrant' : 'registry';
  const createdAt = at.toISOString();
  const notification = insertNotification(db, {
    registrarId,
    event: `contact.${action}d`,
    text: `Contact ${code} has been ${action}d by ${who}`,
    contactCode: code,
    // Of a deleted contact nothing is left.
    fields: action === 'delete' ? [] : Object.keys(shownChanges(changes)),
    createdAt,
  });
  const delivery = insertDelivery(db, registrarId, createdAt);
  return { ...change, followedBy: [notification, delivery, ...followedBy] };
}
