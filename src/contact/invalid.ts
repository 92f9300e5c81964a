import type { Problem } from '../base/error.ts';
import { expectedSentence, isBlank } from '../base/text/field.ts';
import type { Contact } from './contact.ts';
import { type ContactIdentity, contactColumns } from './fields.ts';
import { identityProblem } from './identity.ts';

/** A stored value that today's rules refuse, without secrets; `field` is its name in files. */
export interface InvalidValue extends Problem {
  field: string;
  value?: unknown;
}

export function invalidIdentity(
  contact: Contact,
  changes: Partial<ContactIdentity & Pick<Contact, 'name'>>,
  now: Date,
): Problem[] {
  const fields = contactColumns.flatMap(([column, { group, file }]) =>
    group === 'identity' || column in changes ? [file] : [],
  );
  return invalidValues({ ...contact, ...changes }, now)
    .filter(({ field }) => fields.includes(field))
    .map(({ value: _, ...problem }) => problem);
}

/** Returns values that a creation on the day of `now` would refuse. */
export function invalidValues(contact: Contact, now: Date): InvalidValue[] {
  const accepted: Partial<Record<keyof Contact, unknown>> = {};
  const invalid = contactColumns.flatMap(([column, { rule, file, isRequired }]): InvalidValue[] => {
    const value = contact[column];
    if (!rule || !file || (isBlank(value) && !isRequired)) return [];
    const { data, error } = rule().safeParse(value);
    accepted[column] = data;
    if (!error) return [];
    const reason = isBlank(value) ? 'missing' : 'invalid';
    return [
      {
        reason,
        message: error.issues[0]!.message,
        field: file,
        ...(reason === 'invalid' && { detail: expectedSentence(rule(), error.issues[0]) }),
        ...(column !== 'authInfo' && { value }),
      },
    ];
  });
  const { ident, identType, identCountryCode } = accepted as Partial<ContactIdentity>;
  if (!ident || !identType || !identCountryCode) return invalid;
  const problem = identityProblem({ ident, identType, identCountryCode }, now);
  return problem ? [...invalid, { ...problem, field: 'ident', value: ident }] : invalid;
}
