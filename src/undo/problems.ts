import { and, desc, eq, gt, sql } from 'drizzle-orm';
import {
  contacts,
  domainContacts,
  domains,
  type FieldChange,
  history,
  registrars,
} from '../../drizzle/schema.ts';
import { isIn, jsonArrays } from '../base/database/json-rows.ts';
import type { Database } from '../base/database/open.ts';
import type { Problem, RecordProblem } from '../base/error.ts';
import { type Sentence, sentence } from '../base/text/sentence.ts';
import { changesRepresentation } from '../change/history/changes.ts';
import type { HistoryEntry } from '../change/history/search.ts';
import { isRevertible, problemOf, type Reversal, returning, reversalOf } from './reversal.ts';

/**
 * Whether the newest request's changes can be taken back by their kind. Undefined if the newest entries belong to another request: the
 * history has no index by request.
 */
export async function findRevertible(db: Database, request: string): Promise<boolean | undefined> {
  const isNew = gt(history.id, sql`(select max(id) from ${history} as newest) - 1000`);
  const entries = await db
    .select()
    .from(history)
    .where(and(isNew, eq(history.requestId, request)))
    .orderBy(desc(history.id))
    .limit(100);
  return entries.length === 0 ? undefined : canBeReverted(entries);
}

/** Considers the kinds of the changes alone, not later changes. */
function canBeReverted(entries: readonly HistoryEntry[]): boolean {
  const problems = entries.flatMap((entry) => reversalProblems(entry, null));
  return [...problems, ...mixedProblems(entries.map(reversalOf))].length === 0;
}

/** `newer` is a later change of the same thing. */
export function reversalProblems(entry: HistoryEntry, newer: HistoryEntry | null): Problem[] {
  const problem = (reason: Problem['reason'], why: string | Sentence) => [
    problemOf(entry, reason, why),
  ];
  if (entry.actorType !== 'operator') {
    return problem(
      'invalid',
      sentence`made by ${{ actor: entry.actor }}; only the operator's commands can be taken back`,
    );
  }
  const fieldsThat = (has: (change: FieldChange, field: string) => boolean) => {
    const value = Object.entries(changesRepresentation(entry.changes))
      .filter(([field, change]) => has(change, field))
      .map(([field]) => field);
    return value.length > 0 && { field: 'fields', value };
  };
  const removed = fieldsThat((change) => 'removed' in change);
  if (removed) {
    return problem('gone', sentence`the values of ${removed} were removed from the history`);
  }
  if (!isRevertible(reversalOf(entry))) {
    return problem('invalid', 'this kind of change cannot be taken back');
  }
  // Requests to the identity service belong to the former identity, and are not restored.
  const secret = fieldsThat(
    (change, field) => 'redacted' in change && field !== 'identity_request',
  );
  const isContactDeletion = entry.subject === 'contact' && entry.action === 'delete';
  // Taking a creation back needs no values. A restored contact gets a new auth_info.
  if (secret && entry.action !== 'create' && !isContactDeletion) {
    return problem('gone', sentence`the history does not have the values of ${secret}`);
  }
  if (!newer) return [];
  const { action, actor, occurredAt, requestId } = newer;
  return problem(
    'changed_meanwhile',
    sentence`changed since: ${action} by ${{ actor }} at ${{ instant: occurredAt }}, request ${String(requestId)}`,
  );
}

/** By UUID, for each added contact, a domain that refers to it and is neither among these changes nor `restored`. */
export async function findLinks(
  db: Database,
  reversals: readonly Reversal[],
  restored: ReadonlySet<string>,
): Promise<Map<string | null, string>> {
  const revertedDomains = new Set(restored);
  for (const { subject, key } of reversals) if (subject === 'domain') revertedDomains.add(key);
  const domainOf = new Map<string | null, string>();
  for (const some of jsonArrays(reversals.filter(isAddedContact).map(({ uuid }) => uuid))) {
    const linked = await db
      .selectDistinct({ uuid: contacts.uuid, domain: domains.name })
      .from(contacts)
      .innerJoin(domainContacts, eq(domainContacts.contactId, contacts.id))
      .innerJoin(domains, eq(domains.id, domainContacts.domainId))
      .where(isIn(contacts.uuid, some));
    for (const { uuid, domain } of linked) {
      if (!revertedDomains.has(domain)) domainOf.set(uuid, domain);
    }
  }
  return domainOf;
}

const isAddedContact = ({ subject, action }: Reversal) =>
  subject === 'contact' && action === 'delete';

export function linkProblems(
  reversals: readonly Reversal[],
  links: ReadonlyMap<string | null, string>,
): Problem[] {
  return reversals
    .filter((reversal) => isAddedContact(reversal) && links.has(reversal.uuid))
    .map(({ uuid, entry }) => problemOf(entry, 'linked', `domain ${links.get(uuid)} refers to it`));
}

/** A problem for each deleted contact whose registrar the history does not name, or which no longer exists. */
export async function registrarProblems(
  db: Database,
  reversals: readonly Reversal[],
): Promise<RecordProblem<Reversal>[]> {
  const known = await db.select({ code: registrars.code }).from(registrars);
  return returning(reversals, 'contact')
    .filter(({ registrar }) => !known.some(({ code }) => code === registrar))
    .map((record) => ({
      ...problemOf(record.entry, 'gone', 'its registrar is gone, or not in the history'),
      record,
    }));
}

/**
 * A problem for each change of a contact in a request that changed several: only added contacts can be taken back together.
 */
export function mixedProblems(reversals: readonly Reversal[]): Problem[] {
  if (reversals.length === 1) return [];
  return reversals
    .filter(({ subject, action }) => subject === 'contact' && action !== 'delete')
    .map(({ entry }) =>
      problemOf(entry, 'invalid', 'it cannot be taken back together with other changes'),
    );
}
