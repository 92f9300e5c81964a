import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { logEntry, readableLine } from '../../src/dev/start/readable-log.ts';

function plain(line: string): string | undefined {
  const text = readableLine(line, new Date(2026, 10, 21, 16, 52, 3));
  return text && stripVTControlCharacters(text);
}

const request = (fields: object) =>
  JSON.stringify({
    ...{ level: 'info', event: 'request', request_id: '3fe64915-4d6d-49fb-be17-ca7344d4a9b6' },
    ...{ method: 'GET', route: '/repp/v1/contacts/:code', status: 200, registrar: null },
    ...{ d1: 0, kv: 0, duration_ms: 8, ...fields },
  });

const colours = [
  '\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1m',
  '\u001b[0m',
];

it.each([
  [
    request({ registrar: 'ALPHA', d1: 1 }),
    '16:52:03 GET     /repp/v1/contacts/:code            200    8 ms ALPHA, d1 1',
  ],
  [
    request({ method: 'OPTIONS', route: '/repp/v1/auctions', status: 204, duration_ms: 0 }),
    '16:52:03 OPTIONS /repp/v1/auctions                  204    0 ms',
  ],
  [
    request({ route: '/repp/v1/auctions', kv: 2, duration_ms: 1234 }),
    '16:52:03 GET     /repp/v1/auctions                  200 1234 ms kv 2',
  ],
  [
    '▲ [WARNING] {"level":"warn","event":"deliveries_given_up","deliveries":2}',
    '16:52:03 warn    deliveries given up: deliveries 2',
  ],
  [
    '{"level":"info","event":"orphan_contacts_deleted","contacts":3}',
    '16:52:03 info    orphan contacts deleted: contacts 3',
  ],
  [
    colours.join(
      '{"level":"error","event":"unexpected","request_id":"1","name":"Error","message":"no such table","stack":"Error: no such table\\n    at find (src/a.ts:1:2)\\n    at async get (src/b.ts:3:4)"}',
    ),
    '16:52:03 error   Error: no such table\n    at find (src/a.ts:1:2)\n    at async get (src/b.ts:3:4)',
  ],
  [
    '{"level":"error","event":"unexpected","name":"Error","message":"of A\\nB\\u001b[2J\\u202e"}',
    '16:52:03 error   Error: of A\\nB\\u{1b}[2J\\u{202e}',
  ],
])('a line of the log is shown to people: %s', (line, text) => {
  expect(plain(line)).toBe(text);
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
  '[wrangler:info] GET /docs/ 200 OK (3ms)',
  '[wrangler:info] Ready on http://localhost:8787',
])('knows no other line: %j', (line) => {
  expect(plain(line)).toBeUndefined();
});
