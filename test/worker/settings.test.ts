import { expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import {
  disclosureHoursOf,
  findPolicies,
  findSupport,
  findZones,
  settings,
} from '../../src/worker/settings.ts';

const secret = (letter: string) => letter.repeat(32);

const sound = {
  ENVIRONMENT: 'production',
  AUCTION_API_ALLOWED_IPS: '192.0.2.0/24, 2001:db8::1',
  AUCTION_RESTART_STATUSES: '',
  HISTORY_VALUES_MONTHS: '',
  ORPHAN_CONTACT_MONTHS: '',
  RATE_LIMIT_POLICY:
    '"caller";q=100;w=60, "address";q=100;w=60, "failed-login";q=10;w=60, "password";q=60;w=60, "registrant-write";q=20;w=60, "system";q=6000;w=60',
  REGISTRANT_AUTH_ALLOWED_IPS: '',
  REGISTRANT_TOKEN_KEYS: `2026-11:${secret('a')}, 2026-10:${secret('b')}:c`,
};

const read = (overrides: Record<string, string | undefined> = {}) =>
  settings({ ...sound, ...overrides } as unknown as Env);

/** The error that a deployment with these settings gets. */
function refusal(overrides: Record<string, string | undefined>): string {
  try {
    read(overrides);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the settings were accepted');
}

test('reads lists of addresses, an empty one as nobody', () => {
  const { AUCTION_API_ALLOWED_IPS, REGISTRANT_AUTH_ALLOWED_IPS } = read();
  expect(AUCTION_API_ALLOWED_IPS.includes('192.0.2.200')).toBe(true);
  expect(AUCTION_API_ALLOWED_IPS.includes('2001:db8::1')).toBe(true);
  expect(AUCTION_API_ALLOWED_IPS.includes('127.0.0.1')).toBe(false);
  expect(REGISTRANT_AUTH_ALLOWED_IPS.includes('127.0.0.1')).toBe(false);
});

test('reads token keys in their order, colons in a secret included', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(read().REGISTRANT_TOKEN_KEYS).toEqual([
    { id: '2026-11', secret: bytes(secret('a')) },
    { id: '2026-10', secret: bytes(`${secret('b')}:c`) },
  ]);
});

test('reads zones in any spelling of a domain name', () => {
  const ZONES = ' ee ,LV,, xn--p1ai,Co.UK';
  expect(read({ ZONES }).ZONES).toEqual(['ee', 'lv', 'рф', 'co.uk']);
  expect(findZones(ZONES)).toEqual(['ee', 'lv', 'рф', 'co.uk']);
  expect(findZones('.fi')).toEqual([]);
  expect(read().ZONES).toBeUndefined();
});

test('reads the statuses that restart an auction', () => {
  expect(read().AUCTION_RESTART_STATUSES).toEqual([]);
  expect(
    read({ AUCTION_RESTART_STATUSES: 'domain_not_registered , payment_not_received' })
      .AUCTION_RESTART_STATUSES,
  ).toEqual(['domain_not_registered', 'payment_not_received']);
});

test('reads for how many months personal data is kept, and no number as for ever', () => {
  expect(read()).toMatchObject({
    HISTORY_VALUES_MONTHS: undefined,
    ORPHAN_CONTACT_MONTHS: undefined,
  });
  expect(read({ HISTORY_VALUES_MONTHS: '24', ORPHAN_CONTACT_MONTHS: '6' })).toMatchObject({
    HISTORY_VALUES_MONTHS: 24,
    ORPHAN_CONTACT_MONTHS: 6,
  });
});

test('reads the identity service, of which a registry may have none', () => {
  expect(read().identityClients).toEqual([]);
  expect(read().IDENTITY_SERVICE_ALLOWED_IPS).toBeUndefined();
  const given = read({
    IDENTITY_SERVICE_URL: 'https://id.example/',
    IDENTITY_SERVICE_CLIENTS: 'priv=a:b:c, birthday=d:e',
    IDENTITY_SERVICE_ALLOWED_IPS: '192.0.2.1',
  });
  expect(given.identityClients).toEqual([
    { url: 'https://id.example', identType: 'priv', id: 'a', secret: 'b:c' },
    { url: 'https://id.example', identType: 'birthday', id: 'd', secret: 'e' },
  ]);
  expect(given.IDENTITY_SERVICE_ALLOWED_IPS!.includes('192.0.2.1')).toBe(true);
  expect(given.IDENTITY_SERVICE_ALLOWED_IPS!.includes('127.0.0.1')).toBe(false);
});

test('asks an identity service without encryption on this machine alone, and only locally', () => {
  const here = {
    IDENTITY_SERVICE_URL: 'http://127.0.0.1:8788',
    IDENTITY_SERVICE_CLIENTS: 'priv=a:b',
    ENVIRONMENT: 'local',
  };
  expect(read(here).identityClients[0]!.url).toBe('http://127.0.0.1:8788');
  expect(refusal({ ...here, ENVIRONMENT: 'production' })).toContain(serviceUrl);
  expect(refusal({ ...here, IDENTITY_SERVICE_URL: 'http://127.0.0.1.example/' })).toContain(
    serviceUrl,
  );
});

test('wraps the list of a person’s contacts unless the setting says otherwise', () => {
  expect(read().REGISTRANT_LIST_FORM).toBe('wrapped');
  expect(read({ REGISTRANT_LIST_FORM: 'array' }).REGISTRANT_LIST_FORM).toBe('array');
});

test('finds the policies whose addresses are set', () => {
  expect(findPolicies({})).toEqual([]);
  expect(findPolicies({ VERIFICATION_POLICY_URL: '', ACCESS_POLICY_URL: '' })).toEqual([]);
  const settings = {
    VERIFICATION_POLICY_URL: 'http://example.ee/verification',
    ACCESS_POLICY_URL: 'https://example.ee/access "1"',
  };
  expect(findPolicies(settings)).toEqual([
    { policy: 'access', url: 'https://example.ee/access%20%221%22' },
  ]);
  expect(read({ ...settings, VERIFICATION_POLICY_URL: 'https://example.ee/' })).toBeDefined();
});

test('reads the public address with or without a slash at its end', () => {
  const PUBLIC_URL = 'https://registry.example.ee';
  expect(read({ PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL);
  expect(read({ PUBLIC_URL: `${PUBLIC_URL}/` }).PUBLIC_URL).toBe(PUBLIC_URL);
  expect(read({ PUBLIC_URL: '' }).PUBLIC_URL).toBeUndefined();
});

test.each([
  ['https://example.ee/help?a=1', 'https://example.ee/help?a=1'],
  ['help@example.ee', 'mailto:help@example.ee'],
  ['mailto:help@example.ee', 'mailto:help@example.ee'],
  ['', undefined],
  [undefined, undefined],
  ['ftp://example.ee/', undefined],
])('finds whom to ask for access: %s', (setting, url) => {
  expect(findSupport(setting)).toBe(url);
});

test('answers requests for disclosure within 72 hours unless the setting says otherwise', () => {
  expect(disclosureHoursOf({})).toBe(72);
  expect(disclosureHoursOf({ DISCLOSURE_HOURS: '24' })).toBe(24);
  for (const wrong of ['', '0', '1.5', 'three days']) {
    expect(() => disclosureHoursOf({ DISCLOSURE_HOURS: wrong })).toThrow('number of hours');
  }
});

test.each(Object.keys(sound))('refuses a deployment without %s, and names it', (name) => {
  const sentence =
    name === 'ENVIRONMENT' ? 'must be local or production; deploy with --env' : 'is missing';
  expect(refusal({ [name]: undefined })).toBe(
    `settings are missing or malformed: ${name}: ${sentence}`,
  );
});

const months = 'must be a number of months, 1 to 9999, or empty';
const addresses = 'must be addresses and CIDR ranges, separated by commas';
const zones = 'must be domain names, separated by commas, or empty';
const nameLetters = 'must be letters in lower case (NFC), with nothing between them, or empty';
const serviceUrl = 'must be a URL that begins with https://, or empty';
const serviceClients = 'must be priv=id:secret, birthday=id:secret, one of them, or empty';
const publicUrl = 'must be https:// and a host name, or empty';
const support = 'must be an https URL or an e-mail address, or empty';
const timeZone = 'must be a time zone, such as Europe/Tallinn, or empty';
const lookup = 'must be an https URL with {name} after its host, or empty';
const keys =
  'must be id:secret[, id:secret], with different ids and secrets of 32 bytes or more, none of them for a demo';

test.each([
  ['ENVIRONMENT', 'staging', 'must be local or production; deploy with --env'],
  ['ACCESS_POLICY_URL', 'http://example.ee/access', 'must be an https URL, or empty'],
  ['AUCTION_CENTRE_URL', 'auction.example.ee', 'must be an https URL, or empty'],
  ['REGISTRARS_URL', 'javascript:alert(1)', 'must be an https URL, or empty'],
  ['VERIFICATION_POLICY_URL', 'example.ee', 'must be an https URL, or empty'],
  ['DISPUTE_POLICY_URL', 'http://example.ee/disputes', 'must be an https URL, or empty'],
  ['TIME_ZONE', 'Europe/Talinn', timeZone],
  ['TIME_ZONE', '+02:00', timeZone],
  ['PUBLIC_URL', 'http://registry.example.ee', publicUrl],
  ['PUBLIC_URL', 'registry.example.ee', publicUrl],
  ['PUBLIC_URL', 'https://registry.example.ee/repp', publicUrl],
  ['PUBLIC_URL', 'https://registry.example.ee?x', publicUrl],
  ['PUBLIC_URL', 'https://user@registry.example.ee', publicUrl],
  ['SOURCE_URL', 'git@example.ee:registry', 'must be an https URL, or empty'],
  ['SUPPORT_URL', 'http://example.ee/help', support],
  ['SUPPORT_URL', 'help at example.ee', support],
  ['SUPPORT_URL', 'javascript:help@example.ee', support],
  ['SUPPORT_URL', 'mailto:', support],
  ['DESK_LOOKS_DAYS', '0', 'must be a number of days, 1 to 9999'],
  ['DESK_LOOKS_DAYS', '', 'must be a number of days, 1 to 9999'],
  ['HISTORY_VALUES_MONTHS', '0', months],
  ['ORPHAN_CONTACT_MONTHS', 'six', months],
  ['AUCTION_API_ALLOWED_IPS', 'everybody-welcome', addresses],
  ['AUCTION_API_ALLOWED_IPS', '192.0.2.0/24; 192.0.3.0/24', addresses],
  [
    'AUCTION_RESTART_STATUSES',
    'no_bids_yet',
    'must be payment_not_received, domain_not_registered, both with a comma, or empty',
  ],
  [
    'RATE_LIMIT_POLICY',
    '"caller";q=100;w=60',
    'must give "caller", "address", "failed-login", "password", "registrant-write", "system", each as "name";q=requests;w=10 or 60',
  ],
  ['ZONES', ' .fi', zones],
  ['ZONES', 'ee; lv', zones],
  ['ZONES', 'ee, fi.', zones],
  ['ZONES', 'xn--zzzz-zz', zones],
  ['LOOKUP_URL', 'https://whois.example.ee/', lookup],
  ['LOOKUP_URL', 'http://whois.example.ee/{name}', lookup],
  ['LOOKUP_URL', 'https://{name}.example.ee/{name}', lookup],
  ['LOOKUP_URL', 'https://{name}', lookup],
  ['LOOKUP_URL', 'javascript:alert({name})', lookup],
  ['LOOKUP_URL', 'https://[/{name}', lookup],
  ['NAME_LETTERS', 'ä, ö', nameLetters],
  ['NAME_LETTERS', 'ÄÖ', nameLetters],
  ['NAME_LETTERS', 'o\u0303', nameLetters],
  ['IDENTITY_SERVICE_URL', 'http://id.example', serviceUrl],
  ['IDENTITY_SERVICE_URL', 'https://user:pasted@id.example', serviceUrl],
  ['IDENTITY_SERVICE_URL', 'https://id.example/?key=pasted', serviceUrl],
  ['IDENTITY_SERVICE_CLIENTS', 'id:pasted-secret', serviceClients],
  ['IDENTITY_SERVICE_CLIENTS', 'org=id:pasted-secret', serviceClients],
  ['IDENTITY_SERVICE_CLIENTS', 'priv=a:b, priv=c:pasted-secret', serviceClients],
  ['IDENTITY_SERVICE_ALLOWED_IPS', 'anybody', addresses],
  ['REGISTRANT_AUTH_ALLOWED_IPS', 'oops-pasted-secret', addresses],
  ['REGISTRANT_LIST_FORM', 'naked', 'must be wrapped or array'],
  ['REGISTRANT_TOKEN_KEYS', '', keys],
  ['REGISTRANT_TOKEN_KEYS', 'key-without-a-secret', keys],
  ['REGISTRANT_TOKEN_KEYS', 'current:too-short-a-secret', keys],
  ['REGISTRANT_TOKEN_KEYS', `:${'nameless'.repeat(4)}`, keys],
  ['REGISTRANT_TOKEN_KEYS', 'demo:demo-secret-for-local-development-only', keys],
  ['REGISTRANT_TOKEN_KEYS', `one:${'twice'.repeat(8)},one:${'again'.repeat(8)}`, keys],
])('refuses %s of %j, naming the setting and not its value', (name, value, sentence) => {
  expect(refusal({ [name]: value })).toBe(
    `settings are missing or malformed: ${name}: ${sentence}`,
  );
});

test('takes the demo secret in the local environment alone', () => {
  const demo = { REGISTRANT_TOKEN_KEYS: 'demo:demo-secret-for-local-development-only' };
  expect(read({ ...demo, ENVIRONMENT: 'local' }).REGISTRANT_TOKEN_KEYS).toHaveLength(1);
});

test('names every setting that is wrong at once', () => {
  const message = refusal({ AUCTION_API_ALLOWED_IPS: 'x', REGISTRANT_TOKEN_KEYS: undefined });
  expect(message).toContain('AUCTION_API_ALLOWED_IPS: ');
  expect(message).toContain('REGISTRANT_TOKEN_KEYS: ');
});
