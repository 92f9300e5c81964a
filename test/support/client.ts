import { send } from './fixtures.ts';
import type { TestWorker } from './worker.ts';

/** Whoever holds this `Authorization` header. */
interface Caller {
  authorization: string;
}
const nobody: Caller = { authorization: '' };
type Headers = Record<string, string>;
export type Fetching = Pick<TestWorker, 'fetch'>;

/** Status and JSON body of an answer; undefined for one without a body. */
export async function answerOf(response: Response | Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of every call
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as any) };
}

/** Sends requests about contacts as a registrar. */
export function registrarClient(worker: Fetching) {
  /** Any call, by its path below the contacts'. */
  const request = (
    registrar: Caller,
    method: string,
    path = '',
    body?: unknown,
    headers?: Headers,
  ) => worker.fetch(`/repp/v1/contacts${path}`, send(method, registrar, body, headers));
  return {
    request,
    list: (registrar: Caller, query = '') => answerOf(request(registrar, 'GET', query)),
    async read(registrar: Caller, code: string): Promise<Record<string, unknown>> {
      const { body } = await answerOf(request(registrar, 'GET', `/${code}`));
      return body.data.contact;
    },
    create: (registrar: Caller, contact: unknown, headers?: Headers) =>
      answerOf(request(registrar, 'POST', '', { contact }, headers)),
    update: (registrar: Caller, code: string, contact: unknown, headers?: Headers) =>
      answerOf(request(registrar, 'PUT', `/${code}`, { contact }, headers)),
    delete: (registrar: Caller, code: string, headers?: Headers) =>
      answerOf(request(registrar, 'DELETE', `/${code}`, undefined, headers)),
  };
}

/** Sends requests about their contacts as a person. */
export function registrantClient(worker: Fetching) {
  /** Any call, by its path below the contacts'. */
  const request = (person: Caller, method: string, path = '', body?: unknown, headers?: Headers) =>
    worker.fetch(`/api/v1/registrant/contacts${path}`, send(method, person, body, headers));
  return {
    request,
    list: (person: Caller, query = '') => answerOf(request(person, 'GET', query)),
    read: (person: Caller, uuid: string) => answerOf(request(person, 'GET', `/${uuid}`)),
    update: (person: Caller, uuid: string, fields: unknown, headers?: Headers) =>
      answerOf(request(person, 'PATCH', `/${uuid}`, fields, headers)),
  };
}

/** Asks and reports about auctions, as the auction centre does. */
export function auctionClient(worker: Fetching) {
  return {
    read: (uuid: string, headers?: Headers) =>
      worker.fetch(`/api/v1/auctions/${uuid}`, send('GET', nobody, undefined, headers)),
    /** A body that is text is sent as it is. */
    report: (uuid: string, body?: unknown, headers?: Headers) =>
      worker.fetch(`/api/v1/auctions/${uuid}`, send('PATCH', nobody, body, headers)),
  };
}

/** The registrar interface's answer to what was done. */
export function completed(data: object) {
  return { status: 200, body: { code: 1000, message: 'Command completed successfully', data } };
}

/** The registrar interface's refusal for one reason. */
export function refused(
  code: number,
  message: string,
  field: string | null,
  status = 400,
  detail?: string,
) {
  const problem = { code, message, field, ...(detail !== undefined && { detail }) };
  return { status, body: { code, message, data: {}, errors: [problem] } };
}

export const missing = refused(
  ...([2303, 'Object does not exist', null, 404] as const),
  "Nothing has this identifier, or it is another registrar's.",
);

/** What a parameter takes, as a refusal of its value says it. */
export const parameterDetails: Record<string, string> = {
  limit: 'Expected: a whole number from 1 to 200.',
  offset: 'Expected: a whole number from 0.',
  after: 'Expected: the value from the link of the previous page.',
  details: 'Expected: true or false.',
  ident: 'Expected: text of 1 to 255 characters.',
  ident_country_code: 'Expected: text of 1 to 255 characters.',
  email: 'Expected: text of 1 to 255 characters.',
  name: 'Expected: the beginning of a name, of 1 to 255 characters.',
  status:
    'Expected: one of clientDeleteProhibited, clientTransferProhibited, clientUpdateProhibited, pendingCreate, pendingDelete, pendingTransfer, pendingUpdate, serverDeleteProhibited, serverTransferProhibited, serverUpdateProhibited, ok, linked.',
  verified: 'Expected: false, for those whose identity is not verified.',
  demand: 'Expected: open, for those of which the registry still asks to verify something.',
  updated_since:
    'Expected: a day or a time (ISO 8601), with + as %2B: 2026-01-31, 2026-01-31T14:00:00%2B02:00.',
};
