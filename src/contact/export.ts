import { and, asc, eq, gt } from 'drizzle-orm';
import { contacts, registrars } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { unknownRegistrar } from '../registrar/account.ts';
import type { Contact } from './contact.ts';

/** A registrar's contacts in the order of their ids, starting after the number `after`. Throws `not_found`. */
export async function listContactsOfRegistrar(
  db: Database,
  registrarCode: string,
  page: { after?: number | undefined; limit: number },
): Promise<Contact[]> {
  const [registrar] = await db
    .select({ id: registrars.id })
    .from(registrars)
    .where(eq(registrars.code, registrarCode));
  if (!registrar) throw unknownRegistrar(registrarCode);
  return db
    .select()
    .from(contacts)
    .where(and(eq(contacts.registrarId, registrar.id), gt(contacts.number, page.after ?? 0)))
    .orderBy(asc(contacts.number))
    .limit(page.limit);
}
