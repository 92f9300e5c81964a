import { and, eq, max, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { throwProblems } from '../error.ts';
import type { Changes } from '../history/changes.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { domainChanges, domainRow } from './change.ts';
import type { DomainName } from './name.ts';
import { loadDomains, type Recorded, unknownDomain } from './read.ts';
import { type DomainRecord, loadParties, problemsOf } from './record.ts';

/** The contacts that a domain gets; a role that is left out keeps its own. */
export type DomainContacts = Partial<Pick<DomainRecord, 'registrant' | 'admin' | 'tech'>>;

/** Gives the domain other contacts, and returns what differs. Throws `not_found` for the domain and each contact. */
export async function updateDomain(
  db: Database,
  origin: Origin,
  name: DomainName,
  contacts: DomainContacts,
  options: ChangeOptions = {},
): Promise<Changes> {
  const wanted = (present: Recorded | undefined) => {
    if (!present) throw unknownDomain(name.name);
    return { ...name, ...present, ...contacts };
  };
  return (await saveDomain(db, origin, name, wanted, options)).changes;
}

export interface SavedDomain {
  record: DomainRecord;
  isNew: boolean;
  /** What differs. */
  changes: Changes;
}

/**
 * Makes the domain what it is wanted to be, given what it is, if it is there, and saves it where that differs. Throws
 * `not_found` with a problem for each unknown registrar and contact.
 */
export async function saveDomain(
  db: Database,
  origin: Origin,
  { name }: DomainName,
  wanted: (present: Recorded | undefined) => DomainRecord,
  options: ChangeOptions = {},
): Promise<SavedDomain> {
  const isOfDomain = and(eq(history.subject, 'domain'), eq(history.subjectKey, name))!;
  const look = async () => {
    // First the history: a change after this look makes the write fail.
    const [newest] = await db
      .select({ id: max(history.id) })
      .from(history)
      .where(isOfDomain);
    const present = (await loadDomains(db, [name])).get(name);
    const record = wanted(present);
    return { seen: newest?.id ?? 0, present, record, parties: await loadParties(db, [record]) };
  };
  const judge = ({ seen, present, record, parties }: Awaited<ReturnType<typeof look>>) => {
    throwProblems(problemsOf([record], parties));
    const row = domainRow(record, parties, present);
    const { changes } = row;
    const action = present ? 'update' : 'create';
    const change: Change<SavedDomain> = {
      by: origin.actor,
      subject: { type: 'domain', key: name, registrar: record.registrar },
      action,
      changes,
      outcome: { record, isNew: !present, changes },
    };
    if (Object.keys(changes).length === 0) return change;
    return {
      ...change,
      onlyIf: sql`not exists (select 1 from ${history} where ${isOfDomain} and ${history.id} > ${seen})`,
      statements: (isWritten) =>
        domainChanges(db, action, JSON.stringify([row]), origin.request.at, isWritten).statements,
      onViolation: (error) => (isForeignKeyViolation(error) ? 'again' : undefined),
    } satisfies Change<SavedDomain>;
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}
