import { sql } from 'drizzle-orm';
import { domains } from '../../drizzle/schema.ts';
import { jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import { difference } from '../history/changes.ts';
import { findNewestId, nothingSince } from '../history/search.ts';
import { type ChangeOfSeenOptions, type ChangesOfMany, changeEach, type Origin } from '../write.ts';
import { loadDomains } from './read.ts';

/** The content of a domain after its removal. */
const nothing = { registrar: null, registrant: null, admin: [], tech: [], createdAt: null };

/**
 * Removes those of the domains that exist, with their links to contacts, all or none, and returns how many. It is one
 * batch, for about ten thousand names at a time. Throws `changed_meanwhile`.
 */
export async function removeDomains(
  db: Database,
  origin: Origin,
  names: readonly string[],
  { isDryRun = false, seen }: ChangeOfSeenOptions = {},
): Promise<number> {
  const since = seen ?? (await findNewestId(db));
  const present = await loadDomains(db, [...new Set(names)]);
  if (isDryRun) return present.size;
  const rows = [...present].map(([name, domain]) => ({
    name,
    registrar: domain.registrar,
    changes: difference({ ...domain }, nothing),
  }));
  const removals = jsonArrays(rows).map((array): ChangesOfMany => {
    const names = sql`(select value ->> 'name' from json_each(${array}))`;
    return {
      subject: 'domain',
      action: 'delete',
      rows: {
        key: sql`value ->> 'name'`,
        uuid: null,
        registrar: sql`value ->> 'registrar'`,
        changes: sql`value -> 'changes'`,
        source: sql`from json_each(${array})`,
      },
      statements: [db.delete(domains).where(sql`${domains.name} in ${names}`)],
    };
  });
  const isAsLoaded = nothingSince(since, 'domain', names);
  return (await changeEach(db, origin, { removed: removals }, isAsLoaded)).removed;
}
