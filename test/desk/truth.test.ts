import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { deeds } from './deeds.ts';
import { alarms, kinds, wholly } from './judges.ts';
import { beginLife, live, type Step, settings } from './life.ts';
import type { Account } from './story.ts';

/*
 * Random lives of a registry, and a plain story of what was done, which knows nothing of its tables. After each deed,
 * every page of every thing is read, and a judge compares each sentence with the story. A sentence that no judge knows
 * fails. `LIVES=300 npm test -- desk/truth` draws more lives, of RANDOM_SEED, and prints how many had each false sentence.
 */

/** What happens in one life is mostly of one sort, so that it meets. */
const sorts: Record<string, string> = {
  people:
    'create contact,create contact,other person,other code and address,delete contact,erase contact,transfer contact,registrar changes its contact,registrant changes a contact,demand check,look,look,undo,cron',
  data: 'create contact,create contact,create contact,ask for data,ask for data,ask for data,give data,give data,give data,refuse data,erase contact,other person,other code and address,delete contact,undo',
  domains:
    'create contact,create contact,move domain in,move domain in,move domain in,other holder,transfer domain,remove domain,other code and address,undo,undo',
  auctions:
    'create contact,start auction,start auction,report on auction,report on auction,report on auction,winner registers,winner registers,correct auction,cancel auction,move domain in,remove domain,retain name,release name,open dispute,undo,cron',
  lists:
    'retain name,retain name,release name,open dispute,open dispute,close dispute,start auction,create contact,move domain in,undo,cron',
  registrars:
    'create contact,suspend registrar,disable user,require certificate,set webhook,receive notifications,receive notifications,transfer contact,other person,move domain in,cron',
};

const lifeOf = (names: readonly string[]): fc.Arbitrary<Step[]> => {
  // Often the same one, so that deeds meet.
  const number = fc.oneof(fc.constant(0), fc.nat(11));
  const step = fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...names) },
      fc.constantFrom(...Object.keys(deeds)),
    ),
    fc.tuple(number, number, number),
    fc.constantFrom(2, 2, 2, 2, 30, 30, 24 * 8, 24 * 35),
  );
  return fc.array(step, { minLength: 12, maxLength: 30 });
};

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('ZONES', settings.ZONES);
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockReturnValue();
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Of faults of one kind. */
const withoutNumbers = (fault: string) =>
  fault.replace(/\d+|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+/g, '#');

const { LIVES } = process.env;
const lives = Number(LIVES ?? (inject('isDeep') ? 12 : 6));
const livesOfSort = Math.ceil(lives / Object.keys(sorts).length);

test.each(Object.entries(sorts))(
  'what the desk says is true in lives of %s',
  async (_, names) => {
    const life = lifeOf(names.split(','));
    if (!LIVES) {
      const property = fc.asyncProperty(life, async (steps) => {
        expect(await live(steps)).toEqual([]);
      });
      return fc.assert(property, { numRuns: livesOfSort, interruptAfterTimeLimit: 40_000 });
    }
    const found = new Map<string, (readonly Step[])[]>();
    let failed = 0;
    for (const steps of fc.sample(life, { numRuns: livesOfSort })) {
      const faults = new Set((await live(steps)).map(withoutNumbers));
      if (faults.size > 0) failed += 1;
      for (const fault of faults) found.set(fault, [...(found.get(fault) ?? []), steps]);
    }
    const report = Array.from(found, ([fault, lives]) => {
      const [shortest] = lives.sort((one, other) => one.length - other.length);
      return `${lives.length} lives: ${fault}, as in ${JSON.stringify(shortest)}`;
    });
    expect({ failed, report }).toEqual({ failed: 0, report: [] });
  },
  LIVES ? 86_400_000 : undefined,
);

/*
 * One worked example of each kind of sentence: what was done, the page (of the contact that was created first, …), and
 * what it says. Deeds have the numbers that deeds.ts takes, and come two hours after one another if they say nothing else;
 * the first on 1 March 2026, a Sunday, at 11:00.
 */
const [mari, jaan, piret] = [
  'create contact 0 0 0',
  'create contact 0 1 1',
  'create contact 0 0 3',
];
const domain = `${mari}, ${jaan}, move domain in 0 0 1`;
const sold = 'start auction 0, report on auction 0 0 1';
const missed = `${mari}, set webhook 0, other person 0 1, receive notifications 0 1`;
const examples: [deeds: string, page: string, sentence: string][] = [
  ['', '/name/esimene.ee', 'esimene.ee is not registered here, and on none of the lists.'],
  ['', '/name/esimene.ee', 'Nothing here prevents its registration.'],
  ['', '/name/com.ee', 'Its registration is refused now: "com.ee" is a zone of this registry.'],
  ['', '/name/pood.esimene.ee', 'pood.esimene.ee is understood as esimene.ee.'],
  [
    'retain name 0 0 1',
    '/name/esimene.ee',
    'esimene.ee is reserved; the last day of this is 6 Mar 2026.',
  ],
  ['open dispute 0', '/name/esimene.ee', 'Its registration needs the password of the dispute now.'],
  [
    'open dispute 0 3',
    '/name/esimene.ee',
    'esimene.ee has a dispute to come: first day 21 Mar 2026, last day 31 Mar 2026 unless it is closed before; opened on Sun 1 Mar 2026, 11:00 UTC (1 minute ago).',
  ],
  [
    'open dispute 0, close dispute 0',
    '/name/esimene.ee',
    'It had a dispute (first day 1 Mar 2026, last day 31 Mar 2026) that was closed on Sun 1 Mar 2026, 13:01 UTC (1 minute ago): settled.',
  ],
  [
    'open dispute 0, close dispute 0, undo 0, undo 0',
    '/name/esimene.ee',
    'It had a dispute (first day 1 Mar 2026, last day 31 Mar 2026) that was closed on Sun 1 Mar 2026, 17:03 UTC (1 minute ago).',
  ],
  [
    'start auction 0',
    '/name/esimene.ee',
    'esimene.ee is in auction; this auction was opened on Sun 1 Mar 2026, 11:00 UTC (1 minute ago).',
  ],
  [
    'start auction 0, retain name 0 1',
    '/name/esimene.ee',
    'It has an auction as well, with the status started.',
  ],
  [
    sold,
    '/name/esimene.ee',
    'esimene.ee is to be registered by 8 Mar 2026, which the auction centre sets: it was sold at auction and is not paid.',
  ],
  [sold, '/name/esimene.ee', 'Only the auction centre knows the bidders and the winner.'],
  [
    domain,
    '/name/esimene.ee',
    'esimene.ee is registered with Registrar 1 REG1, and held by Mari Maasikas REG1:1; technical contact: Jaan Kuusk REG1:2.',
  ],
  [
    `${domain}, suspend registrar 0`,
    '/name/esimene.ee',
    'esimene.ee is registered with Registrar 1 REG1 (suspended), and held by Mari Maasikas REG1:1; technical contact: Jaan Kuusk REG1:2.',
  ],
  [
    `${domain}, transfer domain 0 1`,
    '/name/esimene.ee',
    'It is on record here since Sun 1 Mar 2026, 15:02 UTC (2 hours ago); its registrar last changed on Sun 1 Mar 2026, 17:03 UTC (1 minute ago); the contact of its holder last changed on Sun 1 Mar 2026, 17:03 UTC (1 minute ago).',
  ],
  [
    `${domain}, remove domain 0, undo 0`,
    '/name/esimene.ee',
    'It is on record here since Sun 1 Mar 2026, 15:02 UTC (4 hours ago), and again since Sun 1 Mar 2026, 19:04 UTC (1 minute ago).',
  ],
  [mari, '/contact/0', 'The person AA1001 (Finland), a contact of Registrar 1 REG1.'],
  [
    mari,
    '/contact/0',
    'No granted request that the person may know of is on record with this identity code.',
  ],
  [
    `${mari}, delete contact 0`,
    '/contact/0',
    'This contact no longer exists: it was deleted on Sun 1 Mar 2026, 13:01 UTC (1 minute ago) by the operator (olga).',
  ],
  [
    `${mari}, cron 0 in 1000`,
    '/contact/0',
    'This contact no longer exists: it was deleted on Sun 12 Apr 2026, 03:01 UTC (1 minute ago) by the scheduled run.',
  ],
  [
    `${mari}, delete contact 0, ${mari}, delete contact 0`,
    '/contact/REG1:1',
    '2 contacts had this code, and none has it now: choose.',
  ],
  [
    `${mari}, ask for data 0 0, give data 0 0`,
    '/contact/0',
    'Data were given on request to Police, with this identity code.',
  ],
  [
    `${mari}, create contact 0 1 0, ask for data 0 0, give data 0 0, delete contact 0`,
    '/contact/1',
    'Data were given on request to Police, with this identity code.',
  ],
  [
    `${mari}, ask for data 0 0, give data 0 0, other person 0 1`,
    '/contact/0',
    'No granted request that the person may know of is on record with this identity code.',
  ],
  [
    `${mari}, ask for data 0 0, give data 0 1`,
    '/contact/0',
    'Do not tell the caller: data were given to Police (not to be told before Sat 30 May 2026, 15:02 UTC (in 2 months)).',
  ],
  [
    `${mari}, ask for data 0 1`,
    '/contact/0',
    'Do not tell the caller: Tax Board asks for data (kept from the person).',
  ],
  [
    `${mari}, ask for data 0 1`,
    '/',
    'Do not tell the caller: Uurija (Tax Board) asks for name, e-mail of Mari Maasikas REG1:1. To be answered by Wed 4 Mar 2026, 13:01 UTC (in 2 days): disclosure 1.',
  ],
  [
    domain,
    '/person/1',
    'The person BB2001 (Finland) has 1 contact at 1 registrar with this identity, holds 0 domains, and is named in 1 other.',
  ],
  [
    piret,
    '/person/0',
    'The person born 1 Jan 1980 (Finland) has 1 contact at 1 registrar with this identity, holds 0 domains, and is named in 0 others.',
  ],
  [
    `${mari}, ask for data 0 0, give data 0 0`,
    '/person/0',
    'Data were given on request to Police, with this identity code.',
  ],
  [
    `${mari}, demand check 0 0`,
    '/person/0',
    'To be checked by 11 Mar 2026: e-mail of Mari Maasikas REG1:1.',
  ],
  [
    `${mari}, ask for data 0 0`,
    '/disclosure/1',
    'Uurija (Police) asks for name, e-mail of Mari Maasikas REG1:1.',
  ],
  [
    `${piret}, ask for data 0 0`,
    '/disclosure/1',
    'Uurija (Police) asks for name, e-mail of REG1:1.',
  ],
  [
    `${mari}, ask for data 0 0`,
    '/disclosure/1',
    'Not answered yet: to be answered by Wed 4 Mar 2026, 13:01 UTC (in 2 days).',
  ],
  [
    `${mari}, ask for data 0 0 1`,
    '/disclosure/1',
    'Nothing is recorded as fax: grant the other fields.',
  ],
  [
    `${mari}, ask for data 0 0, refuse data 0`,
    '/disclosure/1',
    'It was refused on Sun 1 Mar 2026, 15:02 UTC (1 minute ago).',
  ],
  [
    `${mari}, ask for data 0 0, erase contact 0`,
    '/disclosure/1',
    'Uurija (Police) asks for name, e-mail of somebody who was erased.',
  ],
  [
    `${mari}, create contact 0 1 0, ask for data 0 0, delete contact 0`,
    '/disclosure/1',
    'Refuse it: the contact is no longer there. Others have the identity code of the request: Mari Maasikas REG1:2.',
  ],
  [
    `${mari}, ask for data 0 0, other person 0 1`,
    '/disclosure/1',
    'Refuse it: the contact has another identity than the one that was asked for.',
  ],
  ['', '/registrar/REG1', '1 API user can log in for it, from every address.'],
  ['', '/registrar/REG1', 'Neither its phone nor its e-mail address is recorded.'],
  ['disable user 0', '/registrar/REG1', 'No API user can log in for it.'],
  [
    'suspend registrar 0',
    '/registrar/REG1',
    'Suspended since Sun 1 Mar 2026, 11:00 UTC (1 minute ago): fees. Nobody can log in for it.',
  ],
  [
    'require certificate 0',
    '/registrar/REG1',
    '1 API user can log in for it, from every address; 1 of them with a client certificate.',
  ],
  [
    'require certificate 0, cron 0 in 1000',
    '/registrar/REG1',
    'Logins as user1 need a client certificate, and no valid one is bound.',
  ],
  [
    'require certificate 0, cron 0 in 1000',
    '/',
    'Alarm: The last certificate of API user user1, which needs one, ended at Sun 5 Apr 2026, 11:00 UTC (6 days ago): its logins are refused.',
  ],
  [
    `${mari}, ask for data 0 0, ${jaan} in 60`,
    '/',
    'Warning: The request for disclosure 1 is to be answered by Wed 4 Mar 2026, 13:01 UTC (in 11 hours).',
  ],
  [
    `${mari}, demand check 0 0, cron 0 in 300`,
    '/',
    'Warning: Contacts with overdue demands for verification: 1.',
  ],
  [
    `${mari}, start auction 0, move domain in 0`,
    '/',
    'Warning: esimene.ee is a registered domain, and has an auction with the status started.',
  ],
  [
    'start auction 0, report on auction 0 1 1, cron 0 in 300',
    '/',
    'Warning: esimene.ee was sold at auction and is paid, and was to be registered by 8 Mar 2026.',
  ],
  [
    'start auction 0, retain name 0 1, report on auction 0 3 0',
    '/',
    'Warning: esimene.ee has had no auction since one ended as payment not received, and is or was blocked or disputed.',
  ],
  [
    `retain name 0 1, ${mari}`,
    '/',
    'Alarm: The list blocked has been behind its source since Sun 1 Mar 2026, 11:00 UTC (2 hours ago).',
  ],
  [
    `${missed}, ${jaan}`,
    '/',
    'Alarm: The webhook of Registrar 1 REG1 fails; the oldest delivery that has not arrived was created at Sun 1 Mar 2026, 15:02 UTC (4 hours ago).',
  ],
  [
    `${missed}, cron 0 in 200, other person 0 0, receive notifications 0 1, ${jaan}`,
    '/',
    'Alarm: The webhook of Registrar 1 REG1 fails; the oldest delivery that has not arrived was created at Sun 1 Mar 2026, 15:02 UTC (8 days ago).',
  ],
  [
    `${missed}, cron 0 in 200`,
    '/',
    'Warning: Deliveries to the webhook of Registrar 1 REG1 that were given up: 1, the oldest created at Sun 1 Mar 2026, 15:02 UTC (8 days ago). Send them again, or drop them.',
  ],
];

test.each(examples)('after “%s”, %s says: %s', async (done, page, sentence) => {
  const { act, judge, story, faults } = await beginLife();
  for (const deed of done.split(', ').filter(Boolean)) {
    const [, kind, numbers, hours = '2'] = /^(\D+) ([\d ]+\d|\d)(?: in (\d+))?$/.exec(deed)!;
    const [a, b = 0, c = 0] = numbers!.split(' ').map(Number);
    await act([kind!, [a!, b, c], Number(hours)]);
  }
  // Registrars and their users have numbers of this process.
  const [[first, { user }]] = [...story.accounts] as [[string, Account]];
  const own = (text: string) =>
    text
      .replaceAll(first, 'REG1')
      .replaceAll(`Registrar ${first.slice(3)} `, 'Registrar 1 ')
      .replaceAll(user, 'user1');
  const [, kind, key = ''] = page.replace('REG1', first).split('/');
  const uuid = /^(contact|person)\/\d$/.test(`${kind}/${key}`) && story.contacts[Number(key)]!.uuid;
  const read = await judge(kind ? `/${kind}/${uuid || key}` : '/', uuid || key);
  expect([...read.answer, ...read.kept].map(own)).toContain(sentence);
  expect([...faults]).toEqual([]);
});

test('each kind of sentence has an example', () => {
  const patterns = [...kinds, ...alarms].map(([pattern]) => pattern);
  const without = patterns.filter(
    (pattern) => !examples.some(([, , one]) => wholly(pattern).test(one)),
  );
  expect(without).toEqual([]);
});
