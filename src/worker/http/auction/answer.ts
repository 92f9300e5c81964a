import { type ErrorForm, fieldErrors, statuses } from '../request/answer.ts';

/** A 404 has the form that the auction centre knows; every other error is listed by field. */
export const auctionError: ErrorForm = (error, c) => {
  const status = statuses[error.reason];
  if (status !== 404) return fieldErrors(error, c);
  const message = error.reason === 'not_found' ? 'Record not found' : error.message;
  return c.json({ error: 'Not Found', uuid: c.req.param('uuid'), message }, status);
};
