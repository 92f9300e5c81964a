import { type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import { type ErrorForm, fieldErrors, statuses } from '../request/answer.ts';

/** A 401 hides whether the key or the address was wrong. */
export const internalMessages: Partial<Record<Reason, string>> = {
  unauthorized: 'Not authorized',
  missing: 'is required',
};

/** The JSON field of each party of a domain. */
const partyFields: Record<string, string> = {
  registrar: 'registrar',
  registrant: 'registrant',
  admin: 'admin_contacts',
  tech: 'tech_contacts',
};

/**
 * Removes the enclosing object from the problem's field, as batches do. An unknown registrar or contact makes the body
 * invalid.
 */
export function problemOfBatch(problem: Problem): Problem {
  const field = problem.field?.replace(/^(domain|auction)\./, '');
  const isParty = problem.reason === 'not_found' && field !== undefined && field in partyFields;
  if (!isParty) return { ...problem, field };
  const obstacle = field === 'registrar' ? 'unknown_registrar' : 'unknown_contact';
  return { ...problem, reason: 'invalid', field: partyFields[field], obstacle };
}

/** The reason of a refused body, name or row, for programs. Undefined where the status says all. */
export function programReason({ reason, obstacle }: Problem): string | undefined {
  return obstacle ?? (statuses[reason] === 400 ? 'invalid' : undefined);
}

export const internalError: ErrorForm = (error, c) => {
  const [first, ...others] = error.problems.map(problemOfBatch);
  const reason = programReason(first!);
  const refusal = new RegistryError([first!, ...others]);
  const answer = fieldErrors(refusal, c, internalMessages, reason === undefined ? {} : { reason });
  if (answer.status === 401) answer.headers.set('WWW-Authenticate', 'Bearer realm="internal"');
  return answer;
};
