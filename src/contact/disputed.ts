import { type SQL, sql } from 'drizzle-orm';
import { contacts, disputes, domainContacts, domains, isInForce } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { nameKey } from '../base/text/search-key.ts';
import { dayOf } from '../base/time/day.ts';
import type { Contact } from './contact.ts';
import { isSameIdentityCode } from './identity-code.ts';

/*
 * While a dispute is in force, a domain stays with its person. A new identity of its registrant would give it to another
 * one.
 */

type Identity = Pick<Contact, 'identCountryCode' | 'identType' | 'ident' | 'name'>;

/** A birthday has the name beside it. */
export function isOtherPerson(contact: Identity, values: Partial<Identity>): boolean {
  const next = { ...contact, ...values };
  return (
    next.identCountryCode !== contact.identCountryCode ||
    next.identType !== contact.identType ||
    !isSameIdentityCode(next.ident, contact.ident) ||
    (next.identType === 'birthday' && nameKey(next.name) !== nameKey(contact.name))
  );
}

const maximumNames = 10;

/** Lists at most ten disputed domains that these contacts hold, in the order of names. */
export async function findDisputedDomains(
  db: Database,
  uuids: readonly string[],
  now: Date,
): Promise<string[]> {
  const held = sql`select id from ${contacts}
    where uuid in (select value from json_each(${JSON.stringify(uuids)}))`;
  const rows = await db.all<{ name: string }>(
    sql`${disputedOf(held, now)} order by name limit ${maximumNames}`,
  );
  return rows.map(({ name }) => name);
}

/** True while the contact holds no disputed domain. */
export function holdsNoDisputed({ id }: Pick<Contact, 'id'>, now: Date): SQL {
  return sql`not exists (${disputedOf(sql`${id}`, now)})`;
}

function disputedOf(ids: SQL, now: Date): SQL {
  return sql`select ${domains.name} as name from ${domainContacts}
    join ${domains} on ${domains.id} = domain_id
    where contact_id in (${ids}) and role = 'registrant' and exists (
      select 1 from ${disputes} where ${disputes.name} = ${domains.name} and ${isInForce(dayOf(now))})`;
}

/** Undefined without names. */
export function disputedSentence(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const some = names.length === maximumNames ? 'at least ' : '';
  const list = new Intl.ListFormat('en').format(names.map((name) => JSON.stringify(name)));
  return `a dispute is in force over ${some}${list}`;
}
