import { type ErrorForm, fieldErrors } from '../answer.ts';

/** Any page may read a refusal as it may read a list. */
export const listError: ErrorForm = (error, c) => {
  const answer = fieldErrors(error, c);
  answer.headers.set('Access-Control-Allow-Origin', '*');
  return answer;
};
