import { eq } from 'drizzle-orm';
import { contacts, domainContacts, domains } from '../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../database/json-rows.ts';
import type { Database } from '../database/open.ts';
import type { Problem } from '../error.ts';
import { problemOf, type Reversal } from './reversal.ts';

/** A problem for each contact that a command has added and to which a domain refers that the command did not change. */
export async function linkProblems(
  db: Database,
  reversals: readonly Reversal[],
): Promise<Problem[]> {
  const revertedDomains = new Set(
    reversals.filter(({ subject }) => subject === 'domain').map(({ key }) => key),
  );
  const going = reversals.filter(({ action }) => action === 'delete');
  const added = going.filter(({ subject }) => subject === 'contact');
  const problems: Problem[] = [];
  for (const some of jsonArrays(added.map(({ uuid }) => uuid))) {
    const linked = await db
      .selectDistinct({ uuid: contacts.uuid, domain: domains.name })
      .from(contacts)
      .innerJoin(domainContacts, eq(domainContacts.contactId, contacts.id))
      .innerJoin(domains, eq(domains.id, domainContacts.domainId))
      .where(isIn(contacts.uuid, some));
    const staying = linked.filter(({ domain }) => !revertedDomains.has(domain));
    const domainOf = new Map(staying.map(({ uuid, domain }) => [uuid, domain]));
    problems.push(
      ...added.flatMap(({ uuid, entry }) => {
        const domain = domainOf.get(uuid!);
        return domain ? [problemOf(entry, 'linked', `domain ${domain} refers to it`)] : [];
      }),
    );
  }
  return problems;
}

/**
 * A problem for each change of a contact that has changes of others beside it: only contacts that a command has added can
 * be taken back together.
 */
export function mixedProblems(reversals: readonly Reversal[]): Problem[] {
  if (reversals.length === 1) return [];
  return reversals
    .filter(({ subject, action }) => subject === 'contact' && action !== 'delete')
    .map(({ entry }) =>
      problemOf(entry, 'invalid', 'it cannot be taken back together with other changes'),
    );
}
