import { type SQL, sql } from 'drizzle-orm';
import { contacts, registrars } from '../../drizzle/schema.ts';

/**
 * The `updated_at` of a change that is written at this time. It is later than that of every earlier change of the
 * registrar's contacts, even of deleted ones, so whoever follows the changes misses none, although requests are not
 * written in the order in which they came.
 */
export function changeTime(registrarId: number | SQL, at: Date): SQL<string> {
  const time = at.toISOString();
  return sql`ifnull(max(${time}, strftime('%Y-%m-%dT%H:%M:%fZ', (
    select max(ifnull(lost_change_at, ''), ifnull((
      select max(updated_at) from ${contacts} as changed where changed.registrar_id = registrar.id), ''))
    from ${registrars} as registrar where registrar.id = ${registrarId}
  ), '+0.001 seconds')), ${time})`;
}
