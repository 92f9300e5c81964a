import { expect, it } from 'vitest';
import examples from '../../../../src/worker/http/openapi/examples.json' with { type: 'json' };
import { contractProblem } from './contract.ts';

/** The tests of the interfaces depend on it: what it lets pass, none of them notices. */

const codes = examples.listContacts.codes.answer;
const refusal = examples.getContact.unknown.answer;
const health = examples.getHealth.working.answer;
const failing = { ...health, status: 'failing', reason: 'The database is unreachable.' };
const json = { 'content-type': 'application/json' };
const headers = {
  ...json,
  'cache-control': 'private, no-store',
  'x-request-id': '0e1b2f3c-4d5e-4f60-8172-839405162738',
};
const html = { 'content-type': 'text/html; charset=UTF-8' };

type Case = [
  call: string,
  status: number,
  body: unknown,
  more: Record<string, string | undefined>,
  problem: string | undefined,
];

const cases: Record<string, Case[]> = {
  'may be as the document says': [
    ['GET /repp/v1/contacts/?limit=2', 200, codes, {}, undefined],
    ['GET /repp/v1/contacts', 200, codes, { link: '<…>; rel="next"' }, undefined],
  ],
  'has every field of the document, in its type, and no other': [
    ['GET /repp/v1/contacts', 200, { ...codes, page: 1 }, {}, '"additionalProperty":"page"'],
    ['GET /repp/v1/contacts', 200, { contacts: [] }, {}, 'total_number_of_records'],
    ['GET /repp/v1/contacts', 200, { ...codes, contacts: [1] }, {}, 'must be string'],
  ],
  'has a status of the document': [
    ['GET /repp/v1/contacts', 404, codes, {}, 'status 404 is not documented'],
  ],
  'has the headers that the document requires, in their form, and no others': [
    ['GET /repp/v1/contacts', 200, codes, { 'x-request-id': undefined }, 'X-Request-Id is missing'],
    ['GET /repp/v1/contacts', 200, codes, { etag: '"1"' }, 'the header etag is not documented'],
    ['GET /repp/v1/contacts', 200, codes, { 'x-d1-bookmark': 'tomorrow' }, 'X-D1-Bookmark is tom'],
  ],
  'has a Cache-Control that is known, at the paths and with a status that it is for': [
    ['GET /health', 200, health, { 'cache-control': 'public, max-age=5' }, 'is not among those'],
    [
      'GET /health',
      200,
      health,
      { 'cache-control': 'public, max-age=15, stale-if-error=86400' },
      'the Cache-Control of 200 at /health is public',
    ],
    [
      'GET /repp/v1/auctions',
      429,
      {},
      { 'cache-control': 'public, max-age=15, stale-if-error=86400' },
      'the Cache-Control of 429',
    ],
  ],
  'is a refusal in the form of its interface, with its headers, where there is no such path': [
    ['GET /repp/v1/domains', 404, refusal, {}, undefined],
    ['GET /repp/v1/domains', 404, { errors: { base: ['Not found'] } }, {}, 'code'],
    ['GET /repp/v1/domains', 200, codes, {}, 'the path is not documented, and its status is 200'],
    [
      'GET /repp/v1/domains',
      404,
      refusal,
      { 'x-request-id': undefined },
      'X-Request-Id is missing',
    ],
    ['POST /repp/v1/domains', 405, refusal, { allow: 'GET' }, undefined],
    ['POST /repp/v1/domains', 405, refusal, {}, 'the header Allow is missing'],
    ['POST /repp/v1/domains', 404, refusal, { allow: 'GET' }, 'the header allow is not documented'],
    [
      'POST /repp/v1/domains',
      404,
      refusal,
      { 'access-control-allow-origin': '*' },
      'not documented',
    ],
    ['POST /repp/v1/domains', 404, refusal, { 'content-type': 'text/plain' }, 'type text/plain is'],
  ],
  'about the health says in its status what its word says': [
    ['GET /health', 200, health, {}, undefined],
    ['GET /health', 503, failing, {}, undefined],
    ['GET /health', 200, { ...health, status: 'failing' }, {}, '/status must be equal to constant'],
    ['GET /health', 503, { ...failing, status: 'ok' }, {}, '/status must be equal to constant'],
  ],
  'to a request for a static file has the type of the file, and is no failure': [
    ['GET /docs/', 200, '', { ...html, 'x-request-id': undefined }, undefined],
    [
      'GET /assets/site.css',
      200,
      '',
      { 'content-type': 'text/css', 'x-request-id': undefined },
      undefined,
    ],
    [
      'GET /assets/site.css',
      200,
      '',
      { ...html, 'x-request-id': undefined },
      'the content type is text/html',
    ],
    ['GET /docs/', 503, '', { ...html, 'x-request-id': undefined }, 'status 503'],
  ],
  'to a call of the sandbox is JSON, or refused as any other': [
    ['POST /sandbox/reset', 200, {}, { 'content-type': 'text/plain' }, 'type is text/plain'],
    ['POST /sandbox/reset', 400, {}, {}, "required property 'errors'"],
    ['POST /sandbox/reset', 400, { errors: { now: ['is invalid'] } }, {}, undefined],
  ],
  'is a whole page where the document says HTML': [
    ['GET /et/', 200, '<h1>', { ...html, 'content-language': 'et' }, 'no beginning'],
  ],
  'to another method has the form of the path’s refusals': [
    ['PUT /repp/v1/contacts', 405, refusal, { allow: 'GET, POST' }, undefined],
    ['PUT /repp/v1/contacts', 405, refusal, {}, 'the header Allow is missing'],
  ],
};

it.each(Object.entries(cases))('an answer %s', (_, all) => {
  for (const [call, status, body, more, problem] of all) {
    const [method = '', path = ''] = call.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answered = { status, headers: { ...headers, ...more }, body: text };
    const found = contractProblem({ method, path }, answered);
    const expected = problem === undefined ? undefined : expect.stringContaining(problem);
    expect([call, status, found]).toEqual([call, status, expected]);
  }
});
