import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { RegistryError } from '../error.ts';
import { difference, type Request, recordIfChanged } from '../history.ts';
import { keepAnswer, type Once } from '../idempotency.ts';
import type { Login } from '../registrar/login.ts';
import { found } from './read.ts';
import {
  checkExpected,
  isUnchanged,
  keyHolder,
  lookBeforeWrite,
  originOf,
  prohibits,
  subjectOf,
  untilWrittenOnce,
  written,
} from './write.ts';

/**
 * Deletes the registrar's contact with this code. Two round trips. Throws `linked` where a domain refers to it
 * (also to one linked in this very moment), `delete_prohibited`, `not_found`, `changed_meanwhile`.
 */
export async function deleteContact(
  db: Database,
  login: Login,
  code: string,
  request: Request,
  once?: Once<void>,
): Promise<void> {
  await untilWrittenOnce(async (attempts) => {
    const [caller, rows] = await lookBeforeWrite(db, login, code, once);
    // An earlier try has deleted it, although it was reported as failed.
    if (attempts.isInDoubt && rows.length === 0) return true;
    const contact = found(rows);
    checkExpected(contact, request);
    if (contact.domainCount > 0) throw linked();
    if (prohibits(contact, 'Delete')) {
      throw new RegistryError(
        'delete_prohibited',
        'Contact delete prohibited by status',
        'statuses',
      );
    }
    const origin = originOf(caller, request);
    const holder = keyHolder(caller.registrarId);
    try {
      const deletion = db.batch([
        db.delete(contacts).where(isUnchanged(contact)),
        recordIfChanged(db, origin, subjectOf(contact), 'delete', difference(contact, cleared)),
        ...(once ? [keepAnswer(db, holder, once, undefined, origin.at)] : []),
      ]);
      const [deleted] = await written(attempts, deletion);
      return deleted.meta.changes > 0 || undefined;
    } catch (error) {
      throw isForeignKeyViolation(error) ? linked() : error;
    }
  });
}

/** What history shows a deleted contact to have lost. */
const cleared = {
  name: null,
  orgName: null,
  email: null,
  phone: null,
  fax: null,
  ident: null,
  identType: null,
  identCountryCode: null,
  street: null,
  city: null,
  zip: null,
  state: null,
  countryCode: null,
  authInfo: null,
};

function linked(): RegistryError {
  return new RegistryError('linked', 'Object association prohibits operation', 'domains');
}
