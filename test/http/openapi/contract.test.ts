import { describe, expect, it } from 'vitest';
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
describe('an answer', () => {
  it('may be as the document says', () => {
    expect(problemOf({})).toBeUndefined();
    expect(problemOf({ headers: { ...headers, link: '<…>; rel="next"' } })).toBeUndefined();
  });

  it('has no field that the document lacks', () => {
    expect(problemOf({ body: { ...codes, page: 1 } })).toContain('"additionalProperty":"page"');
  });

  it('has every field that the document requires', () => {
    expect(problemOf({ body: { contacts: [] } })).toContain('total_number_of_records');
  });

  it('has the types of the document', () => {
    expect(problemOf({ body: { ...codes, contacts: [1] } })).toContain('must be string');
  });

  it('has a status of the document', () => {
    expect(problemOf({ status: 404 })).toBe('status 404 is not documented');
  });

  it('has the headers that the document requires, and no others', () => {
    expect(problemOf({ headers: { ...headers, 'x-request-id': undefined } })).toBe(
      'the header X-Request-Id is missing',
    );
    expect(problemOf({ headers: { ...headers, etag: '"1"' } })).toBe(
      'the header etag is not documented',
    );
  });

  it('has headers of the form that the document says', () => {
    const given = { ...headers, 'x-d1-bookmark': 'tomorrow' };
    expect(problemOf({ headers: given })).toBe('the header X-D1-Bookmark is tomorrow');
  });

  it('has the error form of its interface where there is no such path', () => {
    const asked = { method: 'GET', path: '/repp/v1/domains' };
    expect(
      problemOf({ status: 404, body: examples.getContact.unknown.answer }, asked),
    ).toBeUndefined();
    expect(problemOf({ status: 404, body: { errors: { base: ['Not found'] } } }, asked)).toContain(
      'code',
    );
  });

  it('is a refusal, with the headers of every answer, where there is no such path', () => {
    const asked = { method: 'GET', path: '/repp/v1/domains' };
    expect(problemOf({}, asked)).toBe('the path is not documented, and its status is 200');
    const refused = { status: 404, body: examples.getContact.unknown.answer };
    expect(problemOf({ ...refused, headers: {} }, asked)).toBe(
      'the header X-Request-Id is missing',
    );
  });

  it('is a whole page where the document says HTML', () => {
    const asked = { method: 'GET', path: '/et/' };
    const page = { headers: { ...headers, 'content-type': 'text/html; charset=UTF-8' } };
    expect(problemOf({ ...page, body: '<h1>' }, asked)).toBe('no beginning');
  });

  it('to another method has the form of the path’s refusals', () => {
    const asked = { method: 'PUT', path: '/repp/v1/contacts' };
    const refused = { status: 405, headers: { ...headers, allow: 'GET, POST' } };
    expect(
      problemOf({ ...refused, body: examples.getContact.unknown.answer }, asked),
    ).toBeUndefined();
    expect(
      problemOf({ ...refused, headers, body: examples.getContact.unknown.answer }, asked),
    ).toBe('the header Allow is missing');
  });
});
