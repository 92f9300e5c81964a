import { LoginError, type Problem, type Reason, RegistryError } from '../../../base/error.ts';
import type { Written } from '../../../change/write.ts';
import type { ContactReference } from '../../../contact/contact.ts';
import { type ErrorForm, statuses } from '../request/answer.ts';
import { markReplay } from '../request/client-headers.ts';
import type { AppContext } from '../request/context.ts';

/** The result code (RFC 5730, section 3), and a fixed message. */
export const answers: Record<Reason, [code: number, message?: string]> = {
  malformed: [2001, 'Command syntax error'],
  missing: [2003, 'Required parameter missing'],
  out_of_range: [2004, 'Parameter value range error'],
  invalid: [2005],
  identity_invalid: [2005],
  too_large: [2001, 'Command syntax error'],
  coded: [2001, 'Command syntax error'],
  unauthorized: [2202, 'Invalid authorization information'],
  address_denied: [2202],
  throttled: [2502, 'Session limit exceeded; try again later'],
  forbidden: [2201],
  taken: [2302],
  conflict: [2304],
  not_found: [2303, 'Object does not exist'],
  update_prohibited: [2304],
  delete_prohibited: [2304],
  linked: [2305],
  identity_change: [2308],
  status_change: [2306],
  changed_meanwhile: [2304],
  busy: [2400],
  key_reused: [2306],
  gone: [2303, 'Object does not exist'],
  not_offered: [2101],
  service_failed: [2400],
  misconfigured: [2400],
  unknown_route: [2000, 'Unknown command'],
  method_not_allowed: [2101, 'Unimplemented command'],
  unexpected: [2400],
};

export const registrarError: ErrorForm = (error, c) => {
  const status = statuses[error.reason];
  const code = c.req.param('code') ?? ':';
  if (error.reason === 'not_found' && !code.includes(':')) {
    const detail = "A contact's code has a prefix and a colon, for example ALPHA:KASK.";
    return c.json(errorBody(new RegistryError([{ ...error.problems[0], detail }])), status);
  }
  if (status === 401) {
    const isSystem = error instanceof LoginError && error.refusal === 'no registrar';
    const challenge = isSystem ? 'Bearer realm="REPP"' : 'Basic realm="REPP", charset="UTF-8"';
    c.header('WWW-Authenticate', challenge);
  }
  return c.json(errorBody(error), status);
};

export function errorBody(error: RegistryError) {
  const errors = errorsOf(error);
  const [{ code, message }] = errors as [(typeof errors)[number]];
  return { code, message, data: {}, errors };
}

export const errorsOf = (error: RegistryError) => error.problems.map(errorEntry);

/** Sentences for people about reasons that share code and message with others. */
const details: Partial<Record<Reason, (problem: Problem) => string>> = {
  too_large: ({ message }) => `${message}.`,
  coded: ({ message }) => `${message}.`,
  not_found: () => "Nothing has this identifier, or it is another registrar's.",
  identity_change: () =>
    'The identity on record stays. It may be given, in any spelling, or left out.',
  key_reused: () =>
    'Within 24 hours, the key came with another method, path or body. A new request needs a new key.',
  changed_meanwhile: () =>
    'The contact is not at a version that If-Match or If-None-Match allows; no status prohibits the operation.',
};

/** Reasons with a fixed message as a whole: without a field, or with another field than clients send. */
const isWhole = (reason: Reason) =>
  reason === 'identity_invalid' || reason === 'identity_change' || reason === 'taken';

function errorEntry(problem: Problem) {
  const { reason, message, brief = message, field, detail = details[reason]?.(problem) } = problem;
  const [code, fixed = brief] = answers[reason];
  const name = field?.replace(/^(contact|notification)\./, '');
  const suffix = name === undefined || isWhole(reason) ? '' : ` [${name}]`;
  const errorEntry = { code, message: fixed + suffix, field: name ?? null };
  return detail === undefined ? errorEntry : { ...errorEntry, detail };
}

export function success(data: object) {
  return { code: 1000, message: 'Command completed successfully', data };
}

export function answerToWrite(
  c: AppContext,
  { outcome, isReplay }: Written<ContactReference>,
  data: object,
): Response {
  c.header('ETag', `"${outcome.version}"`);
  markReplay(c, isReplay);
  return c.json(success(data));
}
