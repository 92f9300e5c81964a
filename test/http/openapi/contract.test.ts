import { expect, it } from 'vitest';
import examples from '../../../src/http/openapi/examples.json' with { type: 'json' };
import { type Answered, contractProblem } from './contract.ts';

const codes = examples.listContacts.codes.answer;
const headers = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
  'x-request-id': '0e1b2f3c-4d5e-4f60-8172-839405162738',
};

function problemOf(
  overrides: Partial<Omit<Answered, 'body'>> & { body?: unknown },
  asked = { method: 'GET', path: '/repp/v1/contacts/?limit=2' },
) {
  const { body = codes, ...others } = overrides;
  return contractProblem(asked, { status: 200, headers, body: JSON.stringify(body), ...others });
}

/** The tests of the interfaces depend on it: what it lets pass, none of them notices. */
it('an answer may be as the document says', () => {
  expect(problemOf({})).toBeUndefined();
  expect(problemOf({ headers: { ...headers, link: '<…>; rel="next"' } })).toBeUndefined();
});

it('an answer has no field that the document lacks', () => {
  expect(problemOf({ body: { ...codes, page: 1 } })).toContain('"additionalProperty":"page"');
});

it('an answer has every field that the document requires', () => {
  expect(problemOf({ body: { contacts: [] } })).toContain('total_number_of_records');
});

it('an answer has the types of the document', () => {
  expect(problemOf({ body: { ...codes, contacts: [1] } })).toContain('must be string');
});

it('an answer has a status of the document', () => {
  expect(problemOf({ status: 404 })).toBe('status 404 is not documented');
});

it('an answer has the headers that the document requires, and no others', () => {
  expect(problemOf({ headers: { ...headers, 'x-request-id': undefined } })).toBe(
    'the header X-Request-Id is missing',
  );
  expect(problemOf({ headers: { ...headers, etag: '"1"' } })).toBe(
    'the header etag is not documented',
  );
});

it('an answer has headers of the form that the document says', () => {
  const given = { ...headers, 'x-d1-bookmark': 'tomorrow' };
  expect(problemOf({ headers: given })).toBe('the header X-D1-Bookmark is tomorrow');
});

it('an answer has the error form of its interface where there is no such path', () => {
  const asked = { method: 'GET', path: '/repp/v1/domains' };
  expect(
    problemOf({ status: 404, body: examples.getContact.unknown.answer }, asked),
  ).toBeUndefined();
  expect(problemOf({ status: 404, body: { errors: { base: ['Not found'] } } }, asked)).toContain(
    'code',
  );
});

it('an answer is a refusal, with the headers of every answer, where there is no such path', () => {
  const asked = { method: 'GET', path: '/repp/v1/domains' };
  expect(problemOf({}, asked)).toBe('the path is not documented, and its status is 200');
  const refused = { status: 404, body: examples.getContact.unknown.answer };
  expect(problemOf({ ...refused, headers: {} }, asked)).toBe('the header X-Request-Id is missing');
});

it('an answer has the headers of its interface, and no others, where there is no such path', () => {
  const asked = { method: 'POST', path: '/repp/v1/domains' };
  const problemWith = (status: number, more: Record<string, string>) =>
    problemOf(
      { status, body: examples.getContact.unknown.answer, headers: { ...headers, ...more } },
      asked,
    );
  expect(problemWith(405, { allow: 'GET' })).toBeUndefined();
  expect(problemWith(405, {})).toBe('the header Allow is missing');
  expect(problemWith(404, { allow: 'GET' })).toBe('the header allow is not documented');
  expect(problemWith(404, { 'access-control-allow-origin': '*' })).toBe(
    'the header access-control-allow-origin is not documented',
  );
  expect(problemWith(404, { 'content-type': 'text/plain' })).toBe(
    'the content type text/plain is not documented',
  );
});

it('an answer about the health says in its status what its word says', () => {
  const asked = { method: 'GET', path: '/health' };
  const body = examples.getHealth.working.answer;
  const problemWith = (status: number, more: object) =>
    problemOf({ status, body: { ...body, ...more } }, asked);
  const failing = { status: 'failing', reason: 'The database is unreachable.' };
  expect([problemWith(200, {}), problemWith(503, failing)]).toEqual([undefined, undefined]);
  expect(problemWith(200, { status: 'failing' })).toContain('/status must be equal to constant');
  expect(problemWith(503, { ...failing, status: 'ok' })).toContain(
    '/status must be equal to constant',
  );
});

it('an answer to a request for a static file has the type of the file, and is no failure', () => {
  const problemOfFile = (path: string, status: number, type: string) =>
    problemOf({ status, headers: { 'content-type': type } }, { method: 'GET', path });
  expect(problemOfFile('/docs/', 200, 'text/html; charset=utf-8')).toBeUndefined();
  expect(problemOfFile('/assets/site.css', 200, 'text/css')).toBeUndefined();
  expect(problemOfFile('/assets/site.css', 200, 'text/html')).toBe('the content type is text/html');
  expect(problemOfFile('/docs/', 503, 'text/html')).toBe('status 503');
});

it('an answer to a call of the sandbox is JSON, or refused as any other', () => {
  const asked = { method: 'POST', path: '/sandbox/reset' };
  expect(problemOf({ headers: { ...headers, 'content-type': 'text/plain' } }, asked)).toBe(
    'the content type is text/plain',
  );
  expect(problemOf({ status: 400, body: {} }, asked)).toContain("required property 'errors'");
  expect(problemOf({ status: 400, body: { errors: { now: ['is invalid'] } } }, asked)).toBe(
    undefined,
  );
});

it('an answer is a whole page where the document says HTML', () => {
  const asked = { method: 'GET', path: '/et/' };
  const html = { 'content-type': 'text/html; charset=UTF-8', 'content-language': 'et' };
  const page = { headers: { ...headers, ...html } };
  expect(problemOf({ ...page, body: '<h1>' }, asked)).toBe('no beginning');
});

it('an answer to another method has the form of the path’s refusals', () => {
  const asked = { method: 'PUT', path: '/repp/v1/contacts' };
  const refused = { status: 405, headers: { ...headers, allow: 'GET, POST' } };
  expect(
    problemOf({ ...refused, body: examples.getContact.unknown.answer }, asked),
  ).toBeUndefined();
  expect(problemOf({ ...refused, headers, body: examples.getContact.unknown.answer }, asked)).toBe(
    'the header Allow is missing',
  );
});
