import type { Changes } from '../../../change/history/changes.ts';
import type { Operation } from '../../../change/origin.ts';
import type { DomainName } from '../../name.ts';
import { unknownDomain } from '../read.ts';
import type { DomainRecord } from '../record.ts';
import { saveDomain } from '../save.ts';

/** A role that is left out keeps its contacts. */
type DomainContacts = Partial<Pick<DomainRecord, 'registrant' | 'admin' | 'tech'>>;

/** Returns the changes. Throws `not_found` for the domain and each contact, and `conflict` while it is disputed. */
export async function updateDomain(
  operation: Operation,
  name: DomainName,
  contacts: DomainContacts,
): Promise<Changes> {
  const { record, changes } = await saveDomain(operation, { ...name, ...contacts });
  if (!record) throw unknownDomain(name.name);
  return changes;
}
