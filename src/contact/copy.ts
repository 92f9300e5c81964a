import { type SQL, sql } from 'drizzle-orm';
import { contacts } from '../../drizzle/schema.ts';
import { difference } from '../change/history/changes.ts';
import type { Origin } from '../change/origin.ts';
import { type Contact, generateAuthInfo, keysOf } from './contact.ts';
import { contactCode } from './create.ts';
import { contactColumns, verificationColumn } from './fields.ts';
import { withoutSource } from './verifications.ts';

/*
 * A transfer of a domain gives the other registrar copies of the contacts. A lineage is a first contact with all its
 * copies, and the copies of these.
 */

/**
 * Returns a copy for another registrar, with a new code, UUID and auth_info. Throws `invalid` if the registrar's code
 * leaves no room for a contact code.
 */
export function copyFor(
  registrarCode: string,
  contact: Contact,
  { actor, request }: Origin,
  position: number,
) {
  const described = { ...valuesForOthers(contact), authInfo: generateAuthInfo() };
  return {
    ...described,
    ...keysOf(contact),
    uuid: crypto.randomUUID(),
    code: contactCode({ registrarCode }),
    registrar: registrarCode,
    copiedFrom: contact.copiedFrom ?? contact.id,
    creator: actor.name,
    createdAt: request.at.toISOString(),
    position,
    changes: difference({}, described),
  };
}

/** Whether another copy of the contact would have the same values, apart from auth_info. */
export function isStillCopy(copy: Contact, contact: Contact): boolean {
  return Object.keys(difference(valuesForOthers(copy), valuesForOthers(contact))).length === 0;
}

function valuesForOthers(contact: Contact): Partial<Contact> {
  const content = contactColumns.filter(
    ([name, { isContent }]) => isContent && name !== 'authInfo',
  );
  return {
    ...Object.fromEntries(content.map(([column]) => [column, contact[column]])),
    identityRequest: null,
    verificationDemand: null,
    ...checksForOthers(contact),
  };
}

/** Returns the checks for another registrar, without author and reference. */
export function checksForOthers(contact: Contact): Partial<Contact> {
  const checks = Object.values(verificationColumn).map((column) => {
    const check = contact[column];
    const publicCheck = check && withoutSource(check);
    return [column, check?.result === 'ended' ? null : publicCheck];
  });
  return Object.fromEntries(checks);
}

export const firstId = ({ id, copiedFrom }: Pick<Contact, 'id' | 'copiedFrom'>) => copiedFrom ?? id;

/** True for this registrar's contacts of the lineages that begin with these ids, a query. */
export function isOfLineages(firstIds: SQL, registrarId: number): SQL {
  return sql`${contacts.id} in (
    select id from ${contacts} where registrar_id = ${registrarId} and copied_from in (${firstIds})
    union select id from ${contacts} where id in (${firstIds}) and +registrar_id = ${registrarId})`;
}

/** True unless a transfer at the same time has brought another contact of the lineages of these contacts. */
export function noneSince(
  ofLineage: ReadonlyMap<number, readonly Contact[]>,
  some: readonly Contact[],
  registrarId: number,
): SQL {
  const newest = Math.max(0, ...[...ofLineage.values()].flat().map(({ id }) => id));
  const firstIds = sql`select value from json_each(${JSON.stringify(some.map(firstId))})`;
  return sql`not exists (select 1 from ${contacts}
    where ${isOfLineages(firstIds, registrarId)} and id > ${newest})`;
}
