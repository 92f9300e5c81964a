import { and, asc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import {
  contacts,
  deletedIdentity,
  disclosures,
  domainContacts,
  domains,
  history,
  registrars,
} from '../../drizzle/schema.ts';
import { everyRow } from '../base/database/every-row.ts';
import type { Database } from '../base/database/open.ts';
import type { Page } from '../base/database/paging.ts';
import { retry } from '../base/database/retry.ts';
import type { Person } from '../party/registrant/token.ts';
import type { Contact } from './contact.ts';
import {
  conditionsByCode,
  isLastDeletion,
  sameIdentitySince,
  withoutFormerPerson,
} from './entries.ts';
import { identityKey } from './identity-code.ts';
import { isPersons } from './read.ts';

type Entries = AsyncIterable<Pick<EntryRow, 'entry'>>;

interface RegisteredContact {
  contact: Contact;
  registrar: { code: string; name: string };
}

/** Iterate over the domains before the history. */
export interface PersonalContact extends RegisteredContact {
  domains: AsyncIterable<{ name: string; role: string }>;
  history: Entries;
}

/** A history entry may have about 8 KB. */
const pageRows = 200;

/**
 * Yields all data about the person at every registrar, in the order of the contacts' ids. Reads pages during the
 * iteration, so memory does not grow with the contacts.
 */
export async function* listPersonalData(
  db: Database,
  person: Person,
): AsyncGenerator<PersonalContact, void> {
  const domainsOf = byContact(everyDomain(db, person));
  for await (const window of inWindows(everyContact(db, person))) {
    const ids = window.map(({ contact }) => contact.id);
    const historyOf = byContact(everyEntry(db, existing(person), ids));
    for (const { contact, registrar } of window) {
      const { id } = contact;
      yield { contact, registrar, domains: domainsOf(id), history: historyOf(id) };
    }
  }
}

/** Returns the person's deleted contacts and disclosures. One round trip before the histories. */
export async function readOtherPersonalData(db: Database, person: Person, now: Date) {
  const subjects = deleted(person);
  const [rows, disclosures] = await retry(() =>
    db.batch([
      db
        .select({ id: sql<number>`id`, code: sql<string>`code`, uuid: sql<string | null>`uuid` })
        .from(sql`(${subjects})`)
        .orderBy(sql`id`),
      disclosuresOf(db, person, now),
    ]),
  );
  const windows = await Array.fromAsync(inWindows(rows));
  const contacts = windows.flatMap((window) => {
    const ids = window.map(({ id }) => id);
    const historyOf = byContact(everyEntry(db, subjects, ids));
    return window.map(({ id, code, uuid }) => ({ code, uuid, history: historyOf(id) }));
  });
  return { deleted: contacts, disclosures };
}

/** As many rows as a page has at a time: for each page of entries, SQLite looks for former codes of all its subjects. */
async function* inWindows<Row>(rows: AsyncIterable<Row> | Iterable<Row>) {
  let window: Row[] = [];
  for await (const row of rows) {
    if (window.push(row) < pageRows) continue;
    yield window;
    window = [];
  }
  if (window.length > 0) yield window;
}

export type PersonalDisclosure = typeof disclosures.$inferSelect;

/**
 * Selects granted disclosures that the person may see, in the order of the requests, even if the contact is now
 * somebody else's.
 */
export function disclosuresOf(
  db: Database,
  person: Person,
  now: Date,
  { after = 0, limit, offset }: Page = { limit: -1, offset: 0 },
) {
  return db
    .select()
    .from(disclosures)
    .where(
      and(
        eq(disclosures.identCountryCode, person.countryCode),
        eq(disclosures.identKey, identityKey(person.code)),
        // Literals: with bound values SQLite would not use the partial index.
        sql`ident_type = 'priv' and outcome = 'granted' and confidential = 0`,
        sql`ifnull(${disclosures.visibleAfter}, '') <= ${now.toISOString()}`,
        gt(disclosures.id, after),
      ),
    )
    .orderBy(asc(disclosures.id))
    .limit(limit)
    .offset(offset);
}

async function* everyContact(db: Database, person: Person): AsyncGenerator<RegisteredContact> {
  const registrar = { code: registrars.code, name: registrars.name };
  const since = sameIdentitySince(sql`${contacts.uuid}`);
  const { underCode } = conditionsByCode(sql`${contacts.uuid}`, sql`${contacts.code}`);
  // The notes when the person got the contact; null if unchanged since.
  const notesBefore = sql<string | null>`iif(${since} = 0, null, (
    select changes -> '$.statusNotes.from' from ${history}
    where ${underCode} and id > ${since} and changes -> '$.statusNotes' is not null
      order by id limit 1))`;
  const rows = everyRow<RegisteredContact & { since: number; notesBefore: string | null }>(
    ({ after, limit }) =>
      db
        .select({ contact: contacts, registrar, since, notesBefore })
        .from(contacts)
        .innerJoin(registrars, eq(registrars.id, contacts.registrarId))
        .where(and(isPersons(person), gt(contacts.id, after?.contact.id ?? 0)))
        .orderBy(asc(contacts.id))
        .limit(limit),
    pageRows,
  );
  for await (const { since, notesBefore, ...row } of rows) {
    const { contact } = row;
    if (since === 0) yield row;
    else {
      const before = notesBefore === null ? contact.statusNotes : JSON.parse(notesBefore);
      const statusNotes = Object.fromEntries(
        Object.entries(contact.statusNotes).filter(([status, note]) => before?.[status] !== note),
      );
      yield { ...row, contact: { ...contact, creator: null, statusNotes } };
    }
  }
}

interface DomainRow {
  contactId: number;
  linkId: number;
  name: string;
  role: string;
}

function everyDomain(db: Database, person: Person) {
  const { domainId, contactId, role } = domainContacts;
  // The index by contact has a contact's links in this order.
  const linkId = sql<number>`${domainContacts}.rowid`;
  return everyRow<DomainRow>(
    ({ after, limit }) =>
      db
        .select({ contactId, linkId, name: domains.name, role })
        .from(contacts)
        // SQLite keeps the order of cross joins, so the few contacts come first.
        .crossJoin(domainContacts)
        .crossJoin(domains)
        .where(
          and(
            isPersons(person),
            eq(contactId, contacts.id),
            eq(domains.id, domainId),
            after && gte(contacts.id, after.contactId),
            after && sql`${linkId} > iif(${contacts.id} = ${after.contactId}, ${after.linkId}, 0)`,
          ),
        )
        .orderBy(asc(contacts.id), asc(linkId))
        .limit(limit),
    pageRows,
  );
}

function existing(person: Person): SQL {
  return sql`select id, code, uuid from ${contacts} where ${isPersons(person)}`;
}

/** Selects deleted contacts with the id of their last deletion; earlier ones may have been undone. */
function deleted({ countryCode, code }: Person): SQL {
  return sql`select id, subject_key as code, subject_uuid as uuid from ${history}
    where ${deletedIdentity.isPersons} and ${deletedIdentity.countryCode} = ${countryCode}
      and ${deletedIdentity.key} = ${identityKey(code)}
      and ${isLastDeletion}`;
}

interface EntryRow {
  contactId: number;
  entry: typeof history.$inferSelect;
}

/** The entries of the subjects from the first to the last of these ids. */
function everyEntry(db: Database, subjects: SQL, ids: readonly number[]) {
  const window = sql`${subjects} and id between ${ids[0]} and ${ids.at(-1)}`;
  const contactId = sql<number>`subjects.id`;
  const first = sameIdentitySince(sql`subjects.uuid`);
  return everyRow<EntryRow>(async ({ after, limit }) => {
    const next = after && sql`iif(${contactId} = ${after.contactId}, ${after.entry.id} + 1, 0)`;
    const entriesAbout = (isAbout: SQL) =>
      db
        .select({ contactId, entry: history, since: first.as('since') })
        .from(sql`(${window}) as subjects`)
        .crossJoin(history)
        .where(
          and(
            isAbout,
            after && gte(contactId, after.contactId),
            // A single bound is computed once per contact and leads SQLite to the first entry.
            gte(history.id, sql`max(${first}, ${next ?? 0})`),
          ),
        );
    const { underCode, underOthers } = conditionsByCode(sql`subjects.uuid`, sql`subjects.code`);
    const rows = await entriesAbout(underCode)
      .unionAll(entriesAbout(underOthers))
      .orderBy(sql`1`, sql`2`)
      .limit(limit);
    return rows.map(({ contactId, entry, since }) => ({
      contactId,
      entry: withoutFormerPerson(entry, since > 0),
    }));
  }, pageRows);
}

/** The contacts must be requested in the order of the rows. */
function byContact<Row extends { contactId: number }>(rows: AsyncGenerator<Row, void>) {
  let next: IteratorResult<Row, void> | undefined;
  return async function* rowsOf(contactId: number): AsyncGenerator<Row, void> {
    next ??= await rows.next();
    while (!next.done && next.value.contactId <= contactId) {
      // Only one of the queries has a contact that was created or deleted between them.
      if (next.value.contactId === contactId) yield next.value;
      next = await rows.next();
    }
  };
}
