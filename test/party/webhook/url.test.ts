import { expect, it } from 'vitest';
import { parseWebhookUrl } from '../../../src/party/webhook/url.ts';

const deployed = { isLocal: false };

it.each([
  ['https://hooks.example.ee/registry', 'https://hooks.example.ee/registry'],
  ['https://HOOKS.example.ee:8443/a?b=c#d', 'https://hooks.example.ee:8443/a?b=c'],
  ['https://õun.ee', 'https://xn--un-bka.ee/'],
  ['https://internal.example.ee/', 'https://internal.example.ee/'],
  ['https://127.0.0.1.example.ee/', 'https://127.0.0.1.example.ee/'],
])('a webhook may be %s', (text, url) => {
  expect(parseWebhookUrl(text, deployed)).toBe(url);
});

it.each<readonly [string, string]>([
  ['', 'must be a URL of at most 2000 characters'],
  ['hooks.example.ee', 'must be a URL of at most 2000 characters'],
  [`https://example.ee/${'a'.repeat(2000)}`, 'must be a URL of at most 2000 characters'],
  [
    `https://example.ee/${'õ'.repeat(333)}`,
    'must be a URL of at most 2000 characters, also once encoded',
  ],
  ['https://ho\noks.example.ee/', 'contains a line break'],
  ['https://ho\u00adoks.example.ee/', 'contains an invisible character (U+00AD)'],
  ['https://hooks\u202a.example.ee/', 'contains an invisible character (U+202A)'],
  ['http://hooks.example.ee/', 'must begin with https://'],
  ['http://localhost:8080/', 'must begin with https://'],
  ['ftp://hooks.example.ee/', 'must begin with https://'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['https://user:secret@example.ee/', 'must not contain a user name or password'],
  ['https://example.ee:0/', 'must not have the port 0'],
  ...[
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '8.8.8.8',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    '[::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
  ].map((host) => [`https://${host}/`, 'must name its host, not give an IP address'] as const),
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'printer.local',
    'printer.local.',
    'metadata.google.internal',
    'nas.home.arpa',
    'wiki.corp',
    'intranet',
    'hooks.local..',
    'hooks..ee',
    '.ee',
    'hooks.localdomain',
    'hooks.test',
    'hooks.invalid',
    'hooks.example',
    'www.example.com',
    'hooks.onion',
    'hooks.alt',
    '1.0.0.127.in-addr.arpa',
    '1.ip6.arpa.',
  ].map((host) => [`https://${host}/`, 'must name a host of the public internet'] as const),
])('a webhook must not be %s', (text, problem) => {
  expect(() => parseWebhookUrl(text, deployed)).toThrow(`the webhook ${problem}`);
});

it.each(['a', 'õ', '%', ' '])(
  'a webhook of 2,000 characters as it is stored may have %j',
  (sign) => {
    const stored = (count: number) => new URL(`https://hooks.ee/${sign.repeat(count)}x`).href;
    let count = 1;
    while (stored(count + 1).length <= 2000) count++;
    const text = (signs: number) => `https://hooks.ee/${sign.repeat(signs)}x`;
    const url = parseWebhookUrl(text(count), deployed);
    expect(url).toBe(stored(count));
    expect(parseWebhookUrl(url, deployed)).toBe(url);
    expect(() => parseWebhookUrl(text(count + 1), deployed)).toThrow('at most 2000 characters');
  },
);

it('a webhook may be on this machine in the local environment, and still on no other without https', () => {
  for (const url of ['http://localhost:9000/a', 'http://127.0.0.1:9000/', 'https://[::1]/']) {
    expect(parseWebhookUrl(url, { isLocal: true })).toBe(url);
  }
  for (const url of ['http://10.0.0.1/', 'http://example.ee/', 'ftp://localhost/']) {
    expect(() => parseWebhookUrl(url, { isLocal: true })).toThrow('must begin with https://');
  }
});
