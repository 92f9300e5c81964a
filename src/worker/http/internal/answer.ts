import { type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import { type ErrorForm, fieldErrors } from '../request/answer.ts';

/** Nobody learns whether it was the key or the address. */
export const internalMessages: Partial<Record<Reason, string>> = {
  unauthorized: 'Not authorized',
  missing: 'is required',
};

/** What a domain refers to, by the nouns' names, with the names on the wire. */
const partyFields: Record<string, string> = {
  registrar: 'registrar',
  registrant: 'registrant',
  admin: 'admin_contacts',
  tech: 'tech_contacts',
};

/**
 * The problem under its field, without the name of the object that it stands in, as in a batch. A body that names a
 * registrar or a contact that does not exist is invalid.
 */
export function shownProblem(problem: Problem): Problem {
  const field = problem.field?.replace(/^(domain|auction)\./, '');
  const isParty = problem.reason === 'not_found' && field !== undefined && field in partyFields;
  return isParty
    ? { ...problem, reason: 'invalid', field: partyFields[field] }
    : { ...problem, field };
}

export const internalError: ErrorForm = (error, c) => {
  const [first, ...others] = error.problems.map(shownProblem);
  const { obstacle: reason } = first!;
  const refusal = new RegistryError([first!, ...others]);
  const answer = fieldErrors(refusal, c, internalMessages, reason === undefined ? {} : { reason });
  if (answer.status === 401) answer.headers.set('WWW-Authenticate', 'Bearer realm="internal"');
  return answer;
};
