import { and, eq, gt, sql } from 'drizzle-orm';
import { contacts, domainContacts, domains } from '../../drizzle/schema.ts';
import type { Database } from '../base/database/open.ts';
import { type SweepLimits, sweep } from '../base/database/sweep.ts';
import { RegistryError } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { type Changes, difference } from '../change/history/changes.ts';
import { type Operation, scheduledRun, type WriteRequest } from '../change/origin.ts';
import { type Change, changeOf, type Written, write } from '../change/write.ts';
import { keyHolderOf, type RegistrarCall, withLogin } from '../party/registrar/login.ts';
import { notifyRegistrar } from './change.ts';
import {
  type Contact,
  type ContactWithRegistrar,
  checkProhibition,
  checkVersion,
  contactSubject,
  isUnchanged,
  prohibitingStatuses,
  selectContacts,
  theContact,
} from './contact.ts';
import { contactColumns } from './fields.ts';
import { contactByCode } from './read.ts';

/**
 * Two round trips. Throws `linked` if a domain refers to the contact, even since a moment ago; `delete_prohibited`,
 * `not_found`, `changed_meanwhile`.
 */
export function deleteContact(
  { db, login, request }: RegistrarCall,
  code: string,
): Promise<Written<null>> {
  return write(db, request, {
    async look(keptFor) {
      const [caller, kept, rows, [linked]] = await withLogin(db, login, (registrarId) => [
        keptFor(keyHolderOf(login, registrarId)),
        contactByCode(db, registrarId, code),
        referringDomains(db, code),
      ]);
      return { caller, kept, rows, linked };
    },
    judge({ caller, rows, linked }) {
      const contact = { ...theContact(rows), registrar: caller.registrarCode };
      return contactDeletion({ db, origin: { actor: caller.actor, request } }, contact, linked);
    },
  });
}

const namedDomains = 10;
const countedDomains = 10_000;

type Referring = Awaited<ReturnType<typeof referringDomains>>[number];

/** Counts the referring domains, and names the first of the contact's registrar as a JSON array. */
export function referringDomains(db: Database, code: string) {
  const linked = sql`select distinct domain_id as id from ${domainContacts}
    where contact_id = contacts.id limit ${countedDomains}`;
  const names = sql<string>`(select json_group_array(name) from (
    select name from (${linked}) join ${domains} using (id)
      where domains.registrar_id = contacts.registrar_id limit ${namedDomains}))`;
  return db
    .select({
      total: sql<number>`(select count(*) from (${linked}))`.as('total'),
      names: names.as('names'),
    })
    .from(contacts)
    .where(and(eq(contacts.code, asciiUpperCase(code)), gt(contacts.domainCount, 0)));
}

function linkedDetail({ total, names: json }: Referring): string {
  const names: string[] = JSON.parse(json);
  const count = total < countedDomains ? total : `at least ${total}`;
  const refer = total === 1 ? 'domain refers' : 'domains refer';
  if (names.length === 0) return `${count} ${refer} to the contact, of other registrars.`;
  const relation = names.length < total ? ', among them ' : ': ';
  return `${count} ${refer} to the contact${relation}${names.join(', ')}.`;
}

export function contactDeletion(
  operation: Operation,
  contact: ContactWithRegistrar,
  linked?: Referring,
): Change<null> {
  checkVersion(contact, operation.origin.request);
  if (contact.domainCount > 0) {
    const message = 'Object association prohibits operation';
    const detail = linked && linkedDetail(linked);
    throw new RegistryError([{ reason: 'linked', message, field: 'domains', detail }]);
  }
  checkProhibition(contact, 'Delete');
  const change = changeOf(operation, contactSubject(contact));
  return {
    ...change,
    action: 'delete',
    changes: changesOfDeletion(contact),
    onlyIf: isUnchanged(contact),
    statements: [
      operation.db.delete(contacts).where(and(eq(contacts.id, contact.id), change.isWritten)),
    ],
    outcome: null,
  };
}

export function changesOfDeletion(contact: Contact): Changes {
  return {
    ...difference(contact, emptyContent),
    ident: { from: contact.ident, to: null, key: contact.identKey },
  };
}

const emptyContent = Object.fromEntries(
  contactColumns
    .filter(([, { isContent }]) => isContent)
    .map(([column]) => [column, contacts[column].default ?? null]),
);

/** D1 allows 1,000 queries in a scheduled run. A deletion takes five, a window one. */
const limits = { window: 2_000, windows: 20, deletions: 100 };

/**
 * Deletes contacts that no domain has referred to since before an instant, unless a status prohibits it. Continues
 * after the last run and starts over after the last contact. Returns their number.
 */
export async function deleteOrphans(
  db: Database,
  before: string,
  request: WriteRequest,
  { window, windows, deletions }: SweepLimits & { deletions: number } = limits,
): Promise<number> {
  let deleted = 0;
  let left = deletions;
  await sweep(db, 'orphan_contacts', windows, async (after) => {
    if (left === 0) return after;
    const { last, ids } = await findOrphans(db, before, { after, limit: window });
    const orphans = ids.slice(0, left);
    for (const id of orphans) {
      if (await deleteOrphan(db, id, before, request)) deleted += 1;
    }
    left -= orphans.length;
    // The window may hold more orphans than this run may still delete.
    return left === 0 ? orphans.at(-1)! : last;
  });
  return deleted;
}

/** Returns the orphans among the next contacts, and the last id; null after the last contact. */
async function findOrphans(
  db: Database,
  before: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ last: number | null; ids: number[] }> {
  const prohibiting = JSON.stringify(prohibitingStatuses('Delete'));
  const row = await db.get<{ last: number | null; ids: string }>(sql`
    with entries as materialized (
      select id, domain_count, unlinked_at, created_at, statuses
      from ${contacts} where id > ${after} order by id limit ${limit}
    )
    select max(id) as last, json_group_array(id order by id) filter (
      where domain_count = 0 and ifnull(unlinked_at, created_at) < ${before} and not exists (
        select 1 from json_each(statuses)
        where value in (select value from json_each(${prohibiting}))
      )
    ) as ids
    from entries`);
  return { ...row, ids: JSON.parse(row.ids) };
}

async function deleteOrphan(
  db: Database,
  id: number,
  before: string,
  request: WriteRequest,
): Promise<boolean> {
  try {
    await write(db, request, {
      look: async () => ({ rows: await selectContacts(db).where(eq(contacts.id, id)) }),
      judge({ rows }) {
        const isDue = ({ unlinkedAt, createdAt }: Contact) => (unlinkedAt ?? createdAt) < before;
        const contact = theContact(rows.filter(isDue));
        const operation = { db, origin: { actor: scheduledRun, request } };
        return notifyRegistrar(db, contact, contactDeletion(operation, contact));
      },
    });
    return true;
  } catch (error) {
    // The contact was linked, locked or deleted after the search.
    if (error instanceof RegistryError) return false;
    throw error;
  }
}
