import { type ErrorForm, fieldErrors } from '../answer.ts';
import { openToPages } from './headers.ts';

/** Web pages of any origin may read refusals, as they may read the lists. */
export const listError: ErrorForm = (error, c) => {
  const answer = fieldErrors(error, c);
  for (const [name, value] of Object.entries(openToPages)) answer.headers.set(name, value);
  return answer;
};
