import { type ErrorForm, fieldErrors } from '../answer.ts';

/** Web pages of any origin may read refusals, as they may read the lists. */
export const listError: ErrorForm = (error, c) => {
  const answer = fieldErrors(error, c);
  answer.headers.set('Access-Control-Allow-Origin', '*');
  return answer;
};
