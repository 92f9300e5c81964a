import { and, eq, max, sql } from 'drizzle-orm';
import { history } from '../../drizzle/schema.ts';
import type { Database } from '../database/open.ts';
import { isForeignKeyViolation } from '../database/violations.ts';
import { throwProblems } from '../error.ts';
import type { Changes } from '../history/changes.ts';
import { type Change, type ChangeOptions, type Origin, write } from '../write.ts';
import { domainChanges, domainRow } from './change.ts';
import type { DomainName } from './name.ts';
import { getDomain } from './read.ts';
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
  const isOfDomain = and(eq(history.subject, 'domain'), eq(history.subjectKey, name.name))!;
  const look = async () => {
    // First the history: a change after this look makes the write fail.
    const [newest] = await db
      .select({ id: max(history.id) })
      .from(history)
      .where(isOfDomain);
    const present = await getDomain(db, name.name);
    const record: DomainRecord = { ...name, ...present, ...contacts };
    return { seen: newest?.id ?? 0, present, record, parties: await loadParties(db, [record]) };
  };
  const judge = ({ seen, present, record, parties }: Awaited<ReturnType<typeof look>>) => {
    throwProblems(problemsOf([record], parties));
    const row = domainRow(record, parties, present);
    const { changes } = row;
    const change: Change<Changes> = {
      by: origin.actor,
      subject: { type: 'domain', key: name.name, registrar: present.registrar },
      action: 'update',
      changes,
      outcome: changes,
    };
    if (Object.keys(changes).length === 0) return change;
    return {
      ...change,
      onlyIf: sql`not exists (select 1 from ${history} where ${isOfDomain} and ${history.id} > ${seen})`,
      statements: (isWritten) =>
        domainChanges(db, 'update', JSON.stringify([row]), origin.request.at, isWritten).statements,
      onViolation: (error) => (isForeignKeyViolation(error) ? 'again' : undefined),
    } satisfies Change<Changes>;
  };
  return (await write(db, origin.request, { look, judge }, options)).outcome;
}
