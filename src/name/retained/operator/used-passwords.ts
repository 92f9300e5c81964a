import { isNotNull } from 'drizzle-orm';
import { retainedDomains } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';

/** The digests (SHA-256, hexadecimal) of the passwords that registrations have used up, by the reserved name. */
export async function readUsedPasswords(db: Database): Promise<Map<string, string[]>> {
  const { name, usedPasswords } = retainedDomains;
  const rows = await db
    .select({ name, usedPasswords })
    .from(retainedDomains)
    .where(isNotNull(usedPasswords));
  return new Map(rows.map(({ name, usedPasswords }) => [name, usedPasswords!.split(' ')]));
}
