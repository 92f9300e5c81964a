import { difference } from '../change/history/changes.ts';
import type { Origin } from '../change/write.ts';
import { contactCode } from './code.ts';
import { type Contact, generateAuthInfo } from './contact.ts';
import { contactColumns, verificationColumn } from './fields.ts';
import { keysOf } from './keys.ts';

/**
 * A copy for another registrar, for `insertContacts`: the stored values with a new code, UUID and auth_info. Throws
 * `invalid` if the registrar's code leaves no room for a contact code.
 */
export function copyFor(
  registrarCode: string,
  contact: Contact,
  { actor, request }: Origin,
  place: number,
) {
  const content = contactColumns.filter(([, { isContent }]) => isContent);
  const stored = content.map(([column]) => [column, contact[column]]);
  const described = {
    ...Object.fromEntries(stored),
    authInfo: generateAuthInfo(),
    identityRequest: null,
    verificationDemand: null,
    ...checksForOthers(contact),
  };
  return {
    ...described,
    ...keysOf(contact),
    uuid: crypto.randomUUID(),
    code: contactCode({ registrarCode }),
    registrar: registrarCode,
    creator: actor.name,
    createdAt: request.at.toISOString(),
    place,
    changes: difference({}, described),
  };
}

/** What was checked, for another registrar: who did it, and under what reference, stays with the former one. */
export function checksForOthers(contact: Contact): Partial<Contact> {
  const checks = Object.values(verificationColumn).map((column) => {
    const check = contact[column];
    const known = check && { ...check, reference: null, verified_by: null };
    return [column, check?.result === 'ended' ? null : known];
  });
  return Object.fromEntries(checks);
}
