import { expect, test } from 'vitest';
import { plainText } from '../../src/base/text/sentence.ts';
import { listNames } from '../../src/list/lists.ts';
import { type Findings, findAlarms, isWarning } from '../../src/view/alarm.ts';

const now = new Date('2026-11-21T12:00:00.000Z');

const run = (overrides: Partial<Findings['runs'][number]> = {}) => ({
  id: 1,
  cron: '31 * * * *',
  startedAt: '2026-11-21T11:31:00.000Z',
  tookMilliseconds: 12,
  failed: [],
  ...overrides,
});

const alarmsOf = (overrides: object = {}) =>
  findAlarms(findings(overrides), now).map(({ sentence, ...alarm }) => {
    return { ...alarm, message: plainText(sentence) };
  });

function findings(overrides: object): Findings {
  const lists = Object.fromEntries(
    listNames.map((list) => [list, { published: undefined, isBehind: false }]),
  ) as Findings['health']['lists'];
  return {
    health: { reasons: [], isDatabaseReachable: true, areListsLate: false, lists },
    runs: [run()],
    bytes: 1_000_000,
    failingWebhooks: [],
    givenUpDeliveries: [],
    endingCertificates: [],
    dueDisclosures: [],
    overdueVerifications: 0,
    overdueAuctions: [],
    auctionsOfDomains: [],
    auctionsNotRestarted: [],
    isDeployed: true,
    ...overrides,
  };
}

test('a request for disclosure is one when its time has ended, and a warning before', () => {
  const late = { id: 7, answerBy: '2026-11-21T11:59:59.999Z' };
  const due = { id: 8, answerBy: '2026-11-21T12:00:00.000Z' };
  const dueDisclosures = [late, due];
  const alarms = alarmsOf({ dueDisclosures });
  expect(alarms).toEqual([
    {
      alarm: 'disclosure_late',
      message: `The request for disclosure 7 was to be answered by ${late.answerBy}.`,
    },
    {
      alarm: 'disclosure_due',
      message: `The request for disclosure 8 is to be answered by ${due.answerBy}.`,
    },
  ]);
  expect(alarms.map(isWarning)).toEqual([false, true]);
});

test('overdue demands for verification are a warning', () => {
  const alarms = alarmsOf({ overdueVerifications: 3 });
  expect(alarms).toEqual([
    {
      alarm: 'verification_overdue',
      message: 'Contacts with overdue demands for verification: 3.',
      command: ['contact', 'list', '--overdue'],
    },
  ]);
  expect(alarms.every(isWarning)).toBe(true);
});

test('a paid auction whose deadline has passed, and one that did not start again, are warnings', () => {
  const alarms = alarmsOf({
    overdueAuctions: [{ name: 'a.ee', registrationDeadline: '2026-11-20' }],
    auctionsNotRestarted: [{ name: 'b.ee', status: 'payment_not_received' }],
  });
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['auction_overdue', 'auction_not_restarted']);
  expect(alarms.every(isWarning)).toBe(true);
  expect(alarms.map(({ message }) => message)).toEqual([
    'a.ee was sold at auction and is paid, and was to be registered by 2026-11-20.',
    'b.ee has had no auction since one ended as payment_not_received, and is or was blocked or disputed.',
  ]);
});

test('an auction of a registered name is a warning', () => {
  const alarms = alarmsOf({ auctionsOfDomains: [{ name: 'a.ee', status: 'started' }] });
  expect(alarms).toEqual([
    {
      alarm: 'auction_of_domain',
      message: 'a.ee is a registered domain, and has an auction with the status started.',
      command: ['name', 'a.ee'],
    },
  ]);
  expect(alarms.every(isWarning)).toBe(true);
});

test('the last certificate of somebody who needs one is one when it ends soon', () => {
  const endsAt = '2026-12-01T00:00:00.000Z';
  expect(alarmsOf({ endingCertificates: [{ holder: 'system epp', endsAt }] })).toEqual([
    {
      alarm: 'certificate_ending',
      message: `The last certificate of system epp, which needs one, ends at ${endsAt}.`,
    },
  ]);
});

test('a login that needs a certificate is one when the last has ended or none is bound', () => {
  const endsAt = '2026-11-21T12:00:00.000Z';
  const endingCertificates = [
    { holder: 'API user ats', endsAt },
    { holder: 'system epp', endsAt: null },
  ];
  expect(alarmsOf({ endingCertificates }).map(({ message }) => message)).toEqual([
    `The last certificate of API user ats, which needs one, ended at ${endsAt}: its logins are refused.`,
    'No certificate is bound to system epp, which needs one: its logins are refused.',
  ]);
});

test('there is none while everything is well', () => {
  expect(alarmsOf()).toEqual([]);
});

test('each reason for failing health is one', () => {
  const { lists } = { lists: {} as Findings['health']['lists'] };
  const reasons = ['The database is unreachable.', 'The store of the public lists is unreachable.'];
  const health = {
    reasons: reasons.map((reason) => [reason]),
    isDatabaseReachable: false,
    areListsLate: false,
    lists,
  };
  expect(alarmsOf({ health })).toEqual(reasons.map((message) => ({ alarm: 'failing', message })));
});

test('a deployed cron that has not run for two hours is one, or that has never run', () => {
  const late = [run({ startedAt: '2026-11-21T09:59:59.000Z' })];
  expect(alarmsOf({ runs: late })).toEqual([
    { alarm: 'cron_late', message: 'The cron has not run since 2026-11-21T09:59:59.000Z.' },
  ]);
  expect(alarmsOf({ runs: [] })).toEqual([
    { alarm: 'cron_late', message: 'The cron has never run.' },
  ]);
  expect(alarmsOf({ runs: late, isDeployed: false })).toEqual([]);
});

test('a cron run that failed is one until a later run succeeds', () => {
  const failed = run({ failed: ['publish_lists', 'sweep_lists'] });
  expect(alarmsOf({ runs: [failed, run()] })).toEqual([
    {
      alarm: 'cron_failed',
      message: 'The last cron run failed to do publish_lists, sweep_lists.',
    },
  ]);
  expect(alarmsOf({ runs: [run(), failed] })).toEqual([]);
});

test('a database that is four fifths full is one', () => {
  expect(alarmsOf({ bytes: 8_000_000_000 })).toEqual([]);
  expect(alarmsOf({ bytes: 8_500_000_000 })).toEqual([
    { alarm: 'database_large', message: 'The database is 85 % full.' },
  ]);
});

test('a webhook that has been failing for an hour is one', () => {
  const failingWebhooks = [{ registrar: 'ALPHA', since: '2026-11-21T10:59:00.000Z' }];
  expect(alarmsOf({ failingWebhooks })).toEqual([
    {
      alarm: 'webhook_failing',
      message:
        'The webhook of ALPHA fails; the oldest delivery that has not arrived was created at 2026-11-21T10:59:00.000Z.',
      command: ['registrar', 'webhook', 'list', 'ALPHA'],
    },
  ]);
});

test('deliveries that were given up are a warning, with what sends them again and what drops them', () => {
  const since = '2026-11-13T12:00:00.000Z';
  const alarms = alarmsOf({ givenUpDeliveries: [{ registrar: 'ALPHA', deliveries: 3, since }] });
  expect(alarms).toEqual([
    {
      alarm: 'deliveries_given_up',
      message: `Deliveries to the webhook of ALPHA that were given up: 3, the oldest created at ${since}. Send them again, or drop them.`,
      command: ['registrar', 'webhook', 'resend', 'ALPHA', '--since', since],
      otherwise: ['registrar', 'webhook', 'drop', 'ALPHA'],
    },
  ]);
  expect(alarms.map(isWarning)).toEqual([true]);
});
