import type { Reason } from '../../error.ts';
import { RegistryError } from '../../error.ts';
import { type ErrorForm, fieldErrors } from '../answer.ts';

/** Nobody learns whether it was the key or the address. */
export const internalMessages: Partial<Record<Reason, string>> = {
  unauthorized: 'Not authorized',
  missing: 'is required',
};

/** Fields without the name of the object that they stand in, as they are called in a batch. */
export const internalError: ErrorForm = (error, c) => {
  const [first, ...others] = error.problems.map((problem) => ({
    ...problem,
    field: problem.field?.replace(/^(domain|auction)\./, ''),
  }));
  const answer = fieldErrors(new RegistryError([first!, ...others]), c, internalMessages);
  if (answer.status === 401) answer.headers.set('WWW-Authenticate', 'Bearer realm="internal"');
  return answer;
};
