import type { Reason } from '../../../base/error.ts';
import { type ErrorForm, fieldErrors } from '../request/answer.ts';

export const messages: Partial<Record<Reason, string>> = {
  missing: 'parameter is required',
  out_of_range: 'parameter is out of range',
  unauthorized: 'Not authorized',
  throttled: 'Too many requests, try again later',
  not_found: 'Contact not found',
  update_prohibited: 'Object status prohibits operation',
};

export const registrantError: ErrorForm = (error, c) => {
  const answer = fieldErrors(error, c, messages);
  if (answer.status === 401) answer.headers.set('WWW-Authenticate', 'Bearer realm="registrant"');
  return answer;
};
