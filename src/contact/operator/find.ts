import { and, eq, inArray, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../../drizzle/schema.ts';
import type { Database } from '../../base/database/open.ts';
import { searchKey } from '../../base/text/search-key.ts';
import { type ContactWithRegistrar, selectContacts } from '../contact.ts';
import { identityKey } from '../identity-code.ts';
import { emailKeys } from '../mailbox.ts';

/** One of these: a whole identity code of any type and country, a whole address, or how a name begins. */
export interface ContactTrace {
  ident?: string;
  email?: string;
  nameBeginning?: string;
}

/** The first contacts of any registrar that have the trace, in no order. An index of each registrar leads to them. */
export function findContacts(
  db: Database,
  { ident, email, nameBeginning }: ContactTrace,
  limit: number,
): Promise<ContactWithRegistrar[]> {
  const { registrarId, identKey, emailKey, nameKey } = contacts;
  const name = nameBeginning === undefined ? undefined : searchKey(nameBeginning);
  return selectContacts(db)
    .where(
      and(
        sql`${registrarId} in (select id from ${registrars})`,
        ident === undefined ? undefined : eq(identKey, identityKey(ident)),
        email === undefined ? undefined : inArray(emailKey, emailKeys(email)),
        name === undefined
          ? undefined
          : sql`${nameKey} >= ${name} and ${nameKey} < ${`${name}\u{10ffff}`}`,
      ),
    )
    .limit(limit);
}
