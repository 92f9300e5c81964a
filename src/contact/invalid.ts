import type { Problem } from '../error.ts';
import { isBlank } from '../text/field.ts';
import type { Contact } from './contact.ts';
import { type ContactIdentity, contactColumns } from './fields.ts';
import { identityProblem } from './identity.ts';

/** A stored value that today's rules refuse; `field` is its name in files. Secrets are left out. */
export interface InvalidValue extends Problem {
  field: string;
  value?: unknown;
}

/** Finds the values for which a creation would be refused on the day of `now`. */
export function invalidValues(contact: Contact, now: Date): InvalidValue[] {
  return judged(contactColumns, contact, now);
}

/** Finds the problems that the contact's identity would have with these changes. */
export function invalidIdentity(
  { ident, identType, identCountryCode }: ContactIdentity,
  changes: Partial<ContactIdentity>,
  now: Date,
): Problem[] {
  const identity = {
    ident: changes.ident ?? ident,
    identType: changes.identType ?? identType,
    identCountryCode: changes.identCountryCode ?? identCountryCode,
  };
  const columns = contactColumns.filter(([, { group }]) => group === 'identity');
  return judged(columns, identity, now).map(({ value: _, ...problem }) => problem);
}

function judged(
  columns: typeof contactColumns,
  contact: Partial<Contact>,
  now: Date,
): InvalidValue[] {
  const accepted: Partial<Record<keyof Contact, unknown>> = {};
  const invalid = columns.flatMap(([column, { rule, file, isRequired }]): InvalidValue[] => {
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
        ...(column !== 'authInfo' && { value }),
      },
    ];
  });
  const { ident, identType, identCountryCode } = accepted as Partial<ContactIdentity>;
  if (!ident || !identType || !identCountryCode) return invalid;
  const problem = identityProblem({ ident, identType, identCountryCode }, now);
  return problem ? [...invalid, { ...problem, field: 'ident', value: ident }] : invalid;
}
