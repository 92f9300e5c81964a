import { and, asc, eq, gte, type SQL, sql } from 'drizzle-orm';
import { contactBlocks, contacts } from '../../drizzle/schema.ts';
import type { Database } from '../database.ts';
import type { Person } from '../registrant.ts';
import { type Login, withLogin } from '../registrar.ts';
import { type Contact, isPersons } from './read.ts';

export interface Page {
  /** 1 to 200. */
  limit: number;
  offset: number;
}

/** The registrar's contacts in the order of their ids, and how many there are in all. One round trip. */
export async function listContacts(db: Database, login: Login, page: Page) {
  const [caller, rows] = await withLogin(db, login, (registrarId) => [
    db
      .select()
      .from(contacts)
      .where(and(eq(contacts.registrarId, registrarId), fromOffset(registrarId, page.offset)))
      .orderBy(asc(contacts.number))
      .limit(page.limit),
  ]);
  return { contacts: rows, total: caller.contactCount };
}

/** As `listContacts`, but the codes alone, which are read from an index. */
export async function listContactCodes(db: Database, login: Login, page: Page) {
  const [caller, rows] = await withLogin(db, login, (registrarId) => [
    db
      .select({ code: contacts.code })
      .from(contacts)
      .where(and(eq(contacts.registrarId, registrarId), fromOffset(registrarId, page.offset)))
      .orderBy(asc(contacts.number))
      .limit(page.limit),
  ]);
  return { codes: rows.map((row) => row.code), total: caller.contactCount };
}

/**
 * Where the page at an offset begins: the counts of the blocks lead to the right one, so that at most one
 * block of contacts is walked through. Past the last contact it is null, and nothing compares with that.
 */
function fromOffset(registrarId: SQL<number>, offset: number): SQL | undefined {
  if (offset === 0) return undefined;
  const ofStartingBlock = (column: 'block' | 'preceding') => sql`(
    select ${sql.raw(column)} from (
      select block, count, sum(count) over (order by block) - count as preceding
      from ${contactBlocks} where ${contactBlocks.registrarId} = ${registrarId}
    ) where preceding + count > ${offset} order by block limit 1
  )`;
  return gte(
    contacts.number,
    sql`(
      select number from ${contacts} as walked
      where walked.registrar_id = ${registrarId} and walked.number >= ${ofStartingBlock('block')} << 10
      order by walked.number limit 1 offset ${offset} - ifnull(${ofStartingBlock('preceding')}, 0)
    )`,
  );
}

/** The contacts of every registrar whose identity is the person's, in the order of their ids. One round trip. */
export function listContactsOfPerson(db: Database, person: Person, page: Page): Promise<Contact[]> {
  return db
    .select()
    .from(contacts)
    .where(isPersons(person))
    .orderBy(asc(contacts.id))
    .limit(page.limit)
    .offset(page.offset);
}
