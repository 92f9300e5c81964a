import { expect, it } from 'vitest';
import { logEntry, readableLine } from '../../src/tool/start/readable-log.ts';

const now = () => new Date(2026, 10, 21, 16, 52, 3);

const plain = (line: string) => readableLine(line, { now, paint: (_, text) => text });
/** With the name of each style, instead of its colour. */
const painted = (line: string) =>
  readableLine(line, { now, paint: (style, text) => text && `<${style}:${text}>` });

const request = (fields: object) =>
  JSON.stringify({
    ...{ level: 'info', event: 'request', request_id: '3fe64915-4d6d-49fb-be17-ca7344d4a9b6' },
    ...{ method: 'GET', route: '/repp/v1/contacts/:code', status: 200, registrar: null },
    ...{ d1: 0, kv: 0, duration_ms: 8, ...fields },
  });

it.each([
  [
    { registrar: 'ALPHA', d1: 1 },
    '16:52:03 GET     /repp/v1/contacts/:code            200    8 ms ALPHA, d1 1',
  ],
  [
    { method: 'OPTIONS', route: '/repp/v1/auctions', status: 204, duration_ms: 0 },
    '16:52:03 OPTIONS /repp/v1/auctions                  204    0 ms',
  ],
  [
    { route: '/repp/v1/auctions', kv: 2, duration_ms: 1234 },
    '16:52:03 GET     /repp/v1/auctions                  200 1234 ms kv 2',
  ],
])('a request is one line: %o', (fields, line) => {
  expect(plain(request(fields))).toBe(line);
});

it.each([
  [200, 'green'],
  [304, 'cyan'],
  [401, 'yellow'],
  [500, 'red'],
])('a request has a colour by its status: %d', (status, colour) => {
  const line = painted(request({ status, registrar: 'ALPHA' }));

  expect(line).toContain(`<${colour}:${status}>`);
  expect(line).toContain('<dim:16:52:03>');
  expect(line).toContain('<dim:ALPHA>');
});

it.each([
  [
    '[wrangler:info] GET /docs/ 200 OK (3ms)',
    '16:52:03 GET     /docs/                             200    3 ms',
  ],
  [
    '[wrangler:info] GET /docs/x 404 Not Found (12ms)',
    '16:52:03 GET     /docs/x                            404   12 ms',
  ],
  [
    '[wrangler:info] QUEUE registry-edge-webhooks 1/1 (35ms)',
    '16:52:03 QUEUE   registry-edge-webhooks             1/1   35 ms',
  ],
])('what wrangler handles looks like a request: %s', (line, text) => {
  expect(plain(line)).toBe(text);
});

it.each([
  ['1/1', 'green'],
  ['0/5', 'yellow'],
])('shows by a colour whether the messages of a queue were taken: %s', (taken, colour) => {
  const line = `[wrangler:info] QUEUE registry-edge-webhooks ${taken} (35ms)`;

  expect(painted(line)).toContain(`<${colour}:${taken}>`);
});

const unexpected = {
  level: 'error',
  event: 'unexpected',
  request_id: '3fe64915-4d6d-49fb-be17-ca7344d4a9b6',
  name: 'Error',
  message: 'no such table: auctions: SQLITE_ERROR',
  stack:
    'Error: no such table: auctions: SQLITE_ERROR\n    at find (src/a.ts:1:2)\n    at async get (src/b.ts:3:4)',
};
const colours = [
  '\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1m',
  '\u001b[0m',
];

it('an event that is an error has its message, and below it where it was thrown', () => {
  expect(plain(colours.join(JSON.stringify(unexpected)))).toBe(
    [
      '16:52:03 error   Error: no such table: auctions: SQLITE_ERROR',
      '    at find (src/a.ts:1:2)',
      '    at async get (src/b.ts:3:4)',
    ].join('\n'),
  );
});

it('an event that is a warning has what it counts', () => {
  const warning = '▲ [WARNING] {"level":"warn","event":"deliveries_given_up","deliveries":2}';

  expect(plain(warning)).toBe('16:52:03 warn    deliveries given up: deliveries 2');
});

it('an event that is neither says what was done', () => {
  const deletion = '{"level":"info","event":"orphan_contacts_deleted","contacts":3}';

  expect(plain(deletion)).toBe('16:52:03 info    orphan contacts deleted: contacts 3');
});

it.each([
  ['{"level":"info","event":"request"}'],
  ['▲ [WARNING] {"level":"warn","event":"deliveries_given_up","deliveries":2}'],
])('takes the JSON from a line of the log: %s', (line) => {
  expect(JSON.parse(logEntry(line)!)).toMatchObject({ event: expect.any(String) });
});

it.each([
  '⎔ Local server updated and ready',
  '✘ [ERROR] Build failed with 1 error:',
  '      at pS (src/worker/cron.ts:68:32)',
  '{"level":"info","event":"request"',
  '{"another":"object"}',
  '',
  // The Worker logs it as well.
  '[wrangler:info] GET /repp/v1/auctions 200 OK (3ms)',
  '[wrangler:info] GET /docsify 404 Not Found (3ms)',
  '[wrangler:info] Ready on http://localhost:8787',
])('knows no other line: %j', (line) => {
  expect(plain(line)).toBeUndefined();
});
