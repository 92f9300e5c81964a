import { sql } from 'drizzle-orm';
import { domains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { difference } from '../history/changes.ts';
import {
  type ChangeOptions,
  type ChangesOfMany,
  changeEach,
  type Origin,
  rowsChangedMeanwhile,
} from '../write.ts';
import { loadDomains } from './read.ts';

/** The content of a domain after its removal. */
const nothing = { registrar: null, registrant: null, admin: [], tech: [], createdAt: null };

/**
 * Removes those of the domains that exist, with their links to contacts, all or none, and returns how many. It is one
 * batch, for about ten thousand names at a time. Throws `changed_meanwhile` if more than `atMost` exist.
 */
export async function removeDomains(
  db: Database,
  origin: Origin,
  names: readonly string[],
  { isDryRun = false, atMost }: ChangeOptions & { atMost?: number | undefined } = {},
): Promise<number> {
  const present = await loadDomains(db, [...new Set(names)]);
  if (isDryRun) return present.size;
  if (atMost !== undefined && present.size > atMost) throw rowsChangedMeanwhile();
  const rows = [...present].map(([name, domain]) => ({
    name,
    changes: difference({ ...domain }, nothing),
  }));
  const removals = jsonArrays(rows).map((array): ChangesOfMany => {
    const names = sql`(select value ->> 'name' from json_each(${array}))`;
    return {
      subject: 'domain',
      action: 'delete',
      rows: sql`select value ->> 'name' as key, null as uuid, value -> 'changes' as changes
        from json_each(${array}) where exists (select 1 from ${domains} where name = value ->> 'name')`,
      statements: [db.delete(domains).where(sql`${domains.name} in ${names}`)],
    };
  });
  return (await changeEach(db, origin, { removed: removals })).removed;
}
