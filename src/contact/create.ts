import { eq, type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { isUniqueViolation } from '../database/violations.ts';
import { randomHex } from '../digest.ts';
import { RegistryError } from '../error.ts';
import { difference, type Request, recordIfChanged } from '../history.ts';
import { keepAnswer, keptAnswer, type Once, stopIfDone } from '../idempotency.ts';
import { type Login, withLogin } from '../registrar/login.ts';
import { contactCode } from './code.ts';
import type { Identity } from './identity.ts';
import type { ContactChanges } from './update.ts';
import { generateAuthInfo, keyHolder, originOf, untilWrittenOnce } from './write.ts';

export interface NewContact extends ContactChanges {
  name: string;
  email: string;
  phone: string;
  identity: Identity;
  /** The suffix that the registrar chose, or the whole code. */
  code?: string | null | undefined;
}

/** Creates a contact of the caller's registrar, and returns its code. Two round trips. Throws `taken`. */
export function createContact(
  db: Database,
  login: Login,
  { identity, code: chosen, ...fields }: NewContact,
  request: Request,
  once?: Once<string>,
): Promise<string> {
  const uuid = crypto.randomUUID();
  const authInfo = fields.authInfo ?? generateAuthInfo();
  return untilWrittenOnce(async () => {
    const [caller, kept, [ours]] = await withLogin(db, login, (registrarId) => [
      keptAnswer(db, keyHolder(registrarId), once),
      db.select({ code: contacts.code }).from(contacts).where(eq(contacts.uuid, uuid)),
    ]);
    stopIfDone(kept, once);
    // An earlier try has written it, although it was reported as failed.
    if (ours) return ours.code;
    const code = contactCode(caller, chosen ?? randomHex(4));
    const origin = originOf(caller, request);
    const recorded = {
      ...fields,
      authInfo,
      ident: identity.code,
      identType: identity.type,
      identCountryCode: identity.countryCode,
    };
    const contact = {
      ...recorded,
      uuid,
      code,
      registrarId: caller.registrarId,
      number: nextNumber(caller.registrarId),
      creator: origin.actor,
      createdAt: origin.at.toISOString(),
      updatedAt: origin.at.toISOString(),
    };
    const subject = { type: 'contact', key: code, uuid } as const;
    try {
      await db.batch([
        db.insert(contacts).values(contact),
        recordIfChanged(db, origin, subject, 'create', difference({}, recorded)),
        ...(once ? [keepAnswer(db, keyHolder(caller.registrarId), once, code, origin.at)] : []),
      ]);
    } catch (error) {
      if (!isUniqueViolation(error, 'contacts.code')) throw error;
      // Nobody chose it: the next attempt draws another.
      if (!chosen) return undefined;
      throw new RegistryError('taken', 'Contact id already exists', 'code');
    }
    return code;
  });
}

/** Behind the registrar's last one, so that its contacts are numbered in the order of their ids. */
function nextNumber(registrarId: number): SQL<number> {
  return sql`(
    select ifnull(max(${contacts.number}), 0) + 1 from ${contacts}
    where ${contacts.registrarId} = ${registrarId}
  )`;
}
