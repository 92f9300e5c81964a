import { type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import { type ErrorForm, fieldErrors } from '../request/answer.ts';

/** One message for a wrong key and a wrong address. */
export const internalMessages: Partial<Record<Reason, string>> = {
  unauthorized: 'Not authorized',
  missing: 'is required',
};

/** A domain's parties by their nouns, with the names on the wire. */
const partyFields: Record<string, string> = {
  registrar: 'registrar',
  registrant: 'registrant',
  admin: 'admin_contacts',
  tech: 'tech_contacts',
};

/**
 * The problem under its field, without the name of the enclosing object, as in a batch. An unknown registrar or contact makes the body
 * invalid.
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
