import {
  type Account,
  dayAfter,
  day as dayLength,
  disputeAt,
  heldBy,
  humans,
  isBirthday,
  isSamePerson,
  type Lists,
  lastAuctionOf,
  listed,
  listsOf,
  noLife,
  nowOf,
  present,
  retainedAt,
  type Story,
  type StoryContact,
  sourcesOf,
  statusOf,
  stayOf,
  staysOf,
} from './story.ts';

/** A page as somebody reads it aloud. */
export interface Read {
  path: string;
  title: string;
  /** The sentences at the top, and what must not be told. */
  answer: string[];
  kept: string[];
  /** All the text. */
  text: string;
  rows: string[];
  parts: Map<string, string>;
  facts: Map<string, string>;
  entries: string[];
}

function plain(html: string): string {
  const text = html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;:)])/g, '$1')
    .replaceAll('( ', '(')
    .trim();
}

export function readPage(path: string, html: string): Read {
  const [, main = ''] = html.split(/<main[^>]*>/);
  const all = (pattern: RegExp, text = main) => [...text.matchAll(pattern)];
  const items = (pattern: RegExp) =>
    all(/<li>(.*?)<\/li>/gs, pattern.exec(main)?.[1] ?? '').map(([, text]) => plain(text!));
  const sections = all(/<section><h2>(.*?)<\/h2>(.*?)<\/section>/gs);
  const outside = main.replace(/<section>.*?<\/section>/gs, '');
  const timeline = sections.find(([, title]) => plain(title!) === 'What happened')?.[2] ?? '';
  return {
    path,
    title: plain(/<h1>(.*?)<\/h1>/s.exec(main)?.[1] ?? ''),
    answer: items(/<ul class="sentences answer[^"]*">(.*?)<\/ul>/s),
    kept: items(/<ul class="sentences kept[^"]*">(.*?)<\/ul>/s),
    text: plain(main),
    rows: all(/<tr>(<td.*?)<\/tr>/gs, outside).map(([, row]) => plain(row!)),
    parts: new Map(sections.map(([, title, body]) => [plain(title!), plain(body!)])),
    facts: new Map(
      all(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs).map(([, field, value]) => [
        plain(field!),
        plain(value!),
      ]),
    ),
    entries: timeline
      .split(/<li>(?=[\s\S]*?class="when")/)
      .slice(1)
      .map(plain),
  };
}

export interface Given {
  story: Story;
  /** As it was before the last deed. */
  before: Story;
  now: Date;
  page: Read;
  /** The name, UUID, code or number that the page was asked for. */
  key: string;
  /** Takes note of why the sentence is false. */
  no: (why: string) => void;
}
type Judge = (match: RegExpExecArray, given: Given) => void;

const minuteOf = (text: string) =>
  Math.floor(Date.parse(text.replace(',', '').replace('Sept', 'Sep')) / 60_000);
const minuteAt = (at: Date) => Math.floor(at.getTime() / 60_000);
const isAt = (text: string, at: Date | undefined) =>
  at !== undefined && minuteAt(at) === minuteOf(text);
const dayIn = (text: string) =>
  new Date(`${text.replace('Sept', 'Sep')} UTC`).toISOString().slice(0, 10);

const lifeOf = ({ story, page }: Given) => story.names.get(page.title) ?? noLife();
const lastAuction = (given: Given) => lastAuctionOf(lifeOf(given));
const accountOf = ({ story, key }: Given) => story.accounts.get(key)!;
const demandsOf = (story: Story) => present(story).filter(({ demand }) => demand);
const isOverdue = ({ demand }: StoryContact, now: Date) => demand!.by < dayAfter(now, 0);
const contactOf = ({ story, key }: Pick<Given, 'story' | 'key'>): StoryContact | undefined =>
  story.contacts.find(({ uuid }) => uuid === key) ??
  present(story).find(({ code }) => code === key) ??
  story.contacts.findLast(({ code }) => code === key);
const requestOf = ({ story, key }: Given) =>
  story.disclosures.find(({ id }) => String(id) === key)!;
const codeOf = (story: Story, uuid: string) =>
  story.contacts.find((one) => one.uuid === uuid)!.code;

const isOfZones = (name: string) => /^[^.]+\.ee$/.test(name) && name !== 'com.ee';

/** What prevents a registration now. */
function hindrances(given: Given): string[] {
  const life = lifeOf(given);
  const today = dayAfter(given.now, 0);
  return [
    ...(stayOf(life) ? ['registered'] : []),
    ...retainedAt(life, today).map(({ status }) => status),
    ...(disputeAt(life, today) ? ['disputed'] : []),
    ...(heldBy(life) ? ['auction'] : []),
  ];
}

/** Requests for data with the identity of the contact that the page shows, as far as an erasure left them. */
function requestsFor({ story, key }: Given) {
  const one = contactOf({ story, key })!;
  const known = story.disclosures.filter(
    ({ uuid }) => !story.contacts.find((each) => each.uuid === uuid)!.isErased,
  );
  const uuids = story.contacts
    .filter((each) => each === one || isAsOne(each, one))
    .map(({ uuid }) => uuid);
  return known.filter(
    ({ ident, uuid }) => ident === nowOf(one).ident && (!isBirthday(ident) || uuids.includes(uuid)),
  );
}
const isAsOne = (one: StoryContact, other: StoryContact) =>
  !one.goneAt && !other.goneAt && isSamePerson(one, other);
type Request = ReturnType<typeof requestsFor>[number];
const isKept = ({ isConfidential, outcome, visibleAfter }: Request, now: Date) =>
  isConfidential || (outcome === 'granted' && visibleAfter !== undefined && visibleAfter > now);

const instant = String.raw`(?:\w{3} )?(\d+ \w+ \d{4}, \d\d:\d\d UTC) \([^)]*\)`;
const aDay = String.raw`(\d+ \w+ \d{4})`;
const aName = String.raw`(?:\S+\.ee|It)`;
const registrar = String.raw`Registrar \d+ (REG\d+)( \(suspended\))?`;
/** Wherever a registrar is named, its suspension is said. */
const isState = (code: string, suspended: string | undefined, { story }: Given) =>
  Boolean(story.accounts.get(code)!.suspendedAt) === Boolean(suspended);
const person = String.raw`The person (?:born )?(\S+|\d+ \w+ \d+) \(Finland\)`;
const identIn = (text: string) => (text.includes(' ') ? dayIn(text) : text);

const dispute: Judge = ([, state, first, last, opened], given) => {
  const { disputes } = lifeOf(given);
  const today = dayAfter(given.now, 0);
  const one = disputes.find(
    (each) =>
      !each.isRemoved &&
      !each.closedAt &&
      each.firstDay === dayIn(first!) &&
      each.lastDay === dayIn(last!),
  );
  if (!one || !isAt(opened!, one.openedAt)) return given.no('there is none');
  const isInForce = one.firstDay <= today && today <= one.lastDay;
  if (isInForce !== (state === 'is disputed')) given.no('in force, or not');
};

/** A sentence that no pattern knows is a failure, too. */
export const kinds: [pattern: string, judge: Judge][] = [
  [
    `\\S+ is registered with ${registrar}(?:, and held by (.*?))?(?:; administrative contact: .*?)?(?:; technical contact: .*?)?\\.`,
    ([, code, suspended, holder], given) => {
      const stay = stayOf(lifeOf(given));
      if (!stay || stay.registrar !== code) return given.no('with nobody, or another');
      if (!isState(code, suspended, given)) given.no('suspended, or not');
      if (!holder?.endsWith(codeOf(given.story, stay.registrant))) given.no('another holder');
    },
  ],
  [
    `It is on record here since ${instant}(?:, and again since ${instant})?(?:; its registrar last changed on ${instant})?(?:; the contact of its holder last changed on ${instant})?\\.`,
    ([, since, again, moved, handed], given) => {
      const stay = stayOf(lifeOf(given));
      if (!stay || !isAt(since!, stay.recordedAt)) return given.no('since another time');
      const { againSince, withRegistrarSince, heldSince } = stay;
      const start = againSince ?? stay.recordedAt;
      const isSaid = (text: string | undefined, at: Date) =>
        text ? isAt(text, at) : at.getTime() === start.getTime();
      if (again ? !isAt(again, againSince) : againSince) given.no('again at another time');
      if (!isSaid(moved, withRegistrarSince)) given.no('moved at another time');
      // A transfer copies the contacts.
      if (!isSaid(handed, heldSince) && !isAt(handed ?? '', withRegistrarSince))
        given.no('given at another time');
    },
  ],
  [
    `${aName} is (reserved|blocked)(?:; the last day of this is ${aDay})?\\.`,
    ([, status, lastDay], given) => {
      const all = retainedAt(lifeOf(given), dayAfter(given.now, 0));
      const one = all.find((each) => each.status === status);
      if (!one || (one.lastDay ?? undefined) !== (lastDay && dayIn(lastDay))) given.no('it is not');
    },
  ],
  [
    `${aName} (is disputed|has a dispute to come): first day ${aDay}, last day ${aDay} unless it is closed before; opened on ${instant}\\.`,
    dispute,
  ],
  [
    `${aName} had a dispute \\(first day ${aDay}, last day ${aDay}\\) that was closed on ${instant}(?:: settled)?\\.`,
    ([, first, , closed], given) => {
      const { disputes } = lifeOf(given);
      if (!disputes.some((one) => one.firstDay === dayIn(first!) && isAt(closed!, one.closedAt)))
        given.no('it had not');
    },
  ],
  [
    `${aName} is in auction; this auction was opened on ${instant}\\.`,
    ([, opened], given) => {
      const one = lastAuction(given);
      if (!one || statusOf(one) !== 'started' || !isAt(opened!, one.statuses[0]!.at))
        given.no('it is not');
      if (hindrances(given).some((each) => ['registered', 'blocked', 'disputed'].includes(each)))
        given.no('something stronger stands');
    },
  ],
  [
    `${aName} (?:(is|was) to be registered by ${aDay}, which the auction centre sets: it )?was sold at auction and is (not )?paid\\.`,
    ([, verb, deadline, not], given) => {
      const one = lastAuction(given);
      const status = not ? 'awaiting_payment' : 'payment_received';
      if (!one || statusOf(one) !== status) return given.no('it is not');
      if (!deadline) return;
      if (dayIn(deadline) !== one.deadline) given.no('another day');
      if ((verb === 'was') !== dayIn(deadline) < dayAfter(given.now, 0)) given.no('over, or not');
    },
  ],
  [
    'It has an auction as well, with the status (.*)\\.',
    ([, status], given) => {
      const one = lastAuction(given);
      if (!one || statusOf(one).replaceAll('_', ' ') !== status) given.no('another status');
    },
  ],
  [
    '\\S+ is not registered here, and on none of the lists(?:; its last auction that was not cancelled ended as (.*))?\\.',
    ([, status], given) => {
      const others = hindrances(given);
      if (others.length > 0) given.no(others.join());
      const last = lastAuction(given);
      if (last ? statusOf(last).replaceAll('_', ' ') !== status : status) given.no('another end');
    },
  ],
  [
    'Nothing here prevents its registration\\.',
    (_, given) => {
      if (hindrances(given).length > 0) given.no(hindrances(given).join());
      if (!isOfZones(given.page.title)) given.no('it is not a name of the registry');
    },
  ],
  [
    'Its registration (?:is refused now: .*|needs .* now)\\.',
    (_, given) => {
      if (hindrances(given).length === 0 && isOfZones(given.page.title)) given.no('nothing does');
    },
  ],
  [
    'Only the auction centre knows the bidders and the winner\\.',
    (_, given) => {
      const one = lastAuction(given);
      const sold = ['awaiting_payment', 'payment_received', 'payment_not_received'];
      if (!one || !sold.includes(statusOf(one))) given.no('there is no winner');
    },
  ],
  [
    `${person}, a contact of ${registrar}\\.`,
    ([, ident, code, suspended], given) => {
      const one = contactOf(given);
      if (!one || one.goneAt || nowOf(one).ident !== identIn(ident!) || one.registrar !== code)
        given.no('it is not');
      if (!isState(code!, suspended, given)) given.no('suspended, or not');
    },
  ],
  [
    `This contact no longer exists: it was (deleted|erased) on ${instant} by (the operator \\(olga\\)|the scheduled run)(?:, request \\S+\\. To whom its data were given is no longer known)?\\.`,
    ([, how, at, by], given) => {
      const one = contactOf(given);
      if (!one?.goneAt || Boolean(one.isErased) !== (how === 'erased'))
        return given.no('it was not');
      if (!isAt(at!, one.isErased ? one.erasedAt : one.goneAt)) given.no('at another time');
      if (!one.isErased && (one.goneBy === 'cron') !== (by === 'the scheduled run'))
        given.no('by somebody else');
    },
  ],
  [
    '(\\d+) contacts had this code, and none has it now: choose\\.',
    ([, count], { story, key, no }) => {
      const had = story.contacts.filter(({ code }) => code === key);
      if (had.length !== Number(count) || had.some(({ goneAt }) => !goneAt)) no('others had it');
    },
  ],
  [
    'No granted request that the person may know of is on record (?:with this identity code|about these contacts)\\.',
    (_, given) => {
      if (contactOf(given)?.isErased) given.no('it is erased');
      const granted = requestsFor(given).filter(({ outcome }) => outcome === 'granted');
      if (granted.some((one) => !isKept(one, given.now))) given.no('one is');
    },
  ],
  [
    'Data were given on request to (.*), (?:with this identity code|about these contacts)\\.',
    ([, text], given) => {
      const granted = requestsFor(given).filter(
        (one) => one.outcome === 'granted' && !isKept(one, given.now),
      );
      const named = [...new Set(granted.map(({ organization }) => organization))];
      if (named.sort().join(', ') !== text!.split(', ').sort().join(', ')) given.no('to others');
    },
  ],
  [
    `${person} has (\\d+) contacts? at (\\d+) registrars? with this identity, holds (\\d+) domains?, and is named in (\\d+) others?\\.`,
    ([, ident, ...numbers], given) => {
      const { story, no } = given;
      const one = contactOf(given)!;
      const own = present(story).filter((each) => isSamePerson(each, one));
      const uuids = own.map(({ uuid }) => uuid);
      const held = staysOf(story).filter(({ registrant }) => uuids.includes(registrant));
      const named = staysOf(story).filter(
        (stay) => !held.includes(stay) && stay.others.some((uuid) => uuids.includes(uuid)),
      );
      const registrars = new Set(own.map((each) => each.registrar));
      const counted = [own.length, registrars.size, held.length, named.length];
      if (counted.join() !== numbers.map(Number).join()) no(`it is ${counted}`);
      if (nowOf(one).ident !== identIn(ident!)) no('it has another');
    },
  ],
  [
    'Do not tell the caller: .* \\(.*\\) asks for .* of .*\\. To be answered by .*: disclosure (\\d+)\\.',
    ([, id], { story, no }) => {
      const one = story.disclosures.find((each) => String(each.id) === id)!;
      if (!one.isConfidential || one.outcome) no('it may be told, or is answered');
    },
  ],
  [
    '.* \\(.*\\) (asks|asked) for .* of (.*)\\.',
    ([, verb, whose], given) => {
      const one = requestOf(given);
      const contact = given.story.contacts.find(({ uuid }) => uuid === one.uuid)!;
      const named = humans.find(({ name }) => whose!.startsWith(name));
      if (named && named !== humans[one.human]) given.no('names somebody else');
      if (!contact.isErased && whose === 'somebody who was erased') given.no('not erased');
      if ((one.outcome === undefined) !== (verb === 'asks')) given.no('answered, or not');
    },
  ],
  [
    `It was (granted|refused) on ${instant}\\.`,
    ([, outcome, at], given) => {
      const one = requestOf(given);
      if (one.outcome !== outcome || !isAt(at!, one.at)) given.no('it was not');
    },
  ],
  [
    'Not answered yet: to be answered by .*\\.',
    (_, given) => {
      if (requestOf(given).outcome) given.no('it is answered');
    },
  ],
  ['Nothing is recorded as .*\\.', () => {}],
  [
    'Refuse it: the contact is no longer there(?:\\. Others have the identity code of the request: (.*))?\\.',
    ([, others = ''], given) => {
      const { uuid, ident } = requestOf(given);
      const contact = given.story.contacts.find((each) => each.uuid === uuid)!;
      if (!contact.goneAt) given.no('it is');
      if (contact.isErased) return;
      const same = present(given.story).filter((each) => nowOf(each).ident === ident);
      if (same.some(({ code }) => !others.includes(code))) given.no('others have it');
      if (others && same.length !== others.split(', ').length) given.no('fewer have it');
    },
  ],
  [
    'Refuse it: the contact has another identity than the one that was asked for\\.',
    (_, given) => {
      const { uuid, ident } = requestOf(given);
      const contact = given.story.contacts.find((each) => each.uuid === uuid)!;
      if (nowOf(contact).ident === ident) given.no('it has the same');
    },
  ],
  [
    'To be checked by (.*): (.*) of (.*) (\\S+)\\.',
    ([, by, claims, , code], { story, no }) => {
      const { demand } = byCode(story, code!);
      if (
        demand?.by !== dayIn(by!) ||
        demand.claims.join(', ') !== claims!.replace('e-mail', 'email')
      )
        no('nobody demands it');
    },
  ],
  [
    `Suspended since ${instant}: fees\\. Nobody can log in for it\\.`,
    ([, since], given) => {
      if (!isAt(since!, accountOf(given).suspendedAt)) given.no('it is not');
    },
  ],
  [
    '(\\d+|No) API users? can log in for it(?:, from every address(?:; (\\d+) of them with a client certificate)?)?\\.',
    ([, count, bound], given) => {
      const { suspendedAt, isUserDisabled, certificateEnds: ends } = accountOf(given);
      const can = !suspendedAt && !isUserDisabled && (!ends || ends > given.now);
      if (count !== (can ? '1' : 'No')) given.no('it can, or not');
      if (can && Boolean(ends) !== (bound === '1')) given.no('with a certificate, or not');
    },
  ],
  [
    'Logins as \\S+ need a client certificate, and no valid one is bound\\.',
    (_, given) => {
      const { certificateEnds: ends } = accountOf(given);
      if (!ends || ends > given.now) given.no('one is');
    },
  ],
  ['Neither its phone nor its e-mail address is recorded\\.', () => {}],
  [
    '(\\S+) is understood as (\\S+)\\.',
    ([, asked, name], { no }) => {
      if (!asked!.endsWith(`.${name}`)) no('it is not below it');
    },
  ],
  [
    'Do not tell the caller: (?:data were given to (.*)|(.*) ask(?:s|ed) for data) \\((?:kept from the person|not to be told before .*)\\)\\.',
    ([, given_, asking], given) => {
      const own = given.page.path.startsWith('/disclosure/')
        ? [requestOf(given)]
        : requestsFor(given);
      const isMeant = (one: Request) =>
        isKept(one, given.now) &&
        one.organization === (given_ ?? asking) &&
        (one.outcome === 'granted') === (given_ !== undefined);
      if (!own.some(isMeant)) given.no('there is no such request');
    },
  ],
];
const byCode = (story: Story, code: string) => present(story).find((one) => one.code === code)!;

export const wholly = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const patterns = kinds.map(([pattern]) => wholly(pattern));

/** Finds what is said, on any page but that of a search, and is not so. */
export function judgePage(given: Given): void {
  const { page, story, now } = given;
  const isFirst = page.path === '/';
  if (isFirst) judgeAlarms(given);
  for (const sentence of [...(isFirst ? [] : page.answer), ...page.kept]) {
    const index = patterns.findIndex((pattern) => pattern.test(sentence));
    const no = (why: string) => given.no(`${why}: ${sentence}`);
    if (index < 0) no('no judge knows it');
    else kinds[index]![1](patterns[index]!.exec(sentence)!, { ...given, no });
  }
  const one = /^\/(contact|person)\//.test(page.path) ? contactOf(given) : undefined;
  const ofCode = story.contacts.filter(({ code }) => page.path === `/contact/${code}`);
  const isChoice = page.answer.some((each) => / had this code/.test(each));
  if (ofCode.length > 1 && ofCode.every(({ goneAt }) => goneAt) && !isChoice)
    given.no(`one of ${ofCode.length} contacts that had the code`);
  const ofPerson = one && !one.isErased && !isChoice ? requestsFor(given) : [];
  for (const each of page.path.startsWith('/disclosure/') ? [requestOf(given)] : ofPerson) {
    const isNamed = (said: string) => said.includes(each.organization);
    const isSecret = isKept(each, now);
    if (isSecret && !page.kept.some(isNamed)) given.no('a secret is not named');
    if (!isSecret && each.outcome === 'granted' && !page.answer.some(isNamed))
      given.no('who got the data is not named');
  }
  if (one && page.path.startsWith('/contact/') && !isChoice) {
    const looked = page.parts.get('Who looked') ?? '';
    const count = one.looks.filter(({ isRecorded }) => isRecorded).length;
    const listed = looked.split('kati@r.example').length - 1;
    if (listed !== Math.min(count, 10)) given.no(`${count} looks, ${listed} listed: ${looked}`);
    if (!/Only the deployed desk keeps looks/.test(looked)) given.no('looks are kept everywhere?');
  }
  const near = page.parts.get('Names near it that are on record, or were');
  if (page.path.startsWith('/name/'))
    for (const [name, life] of story.names) {
      const isOn = Object.values(life).some((all) => all.length > 0);
      if (near?.includes(name) && !isOn) given.no(`${name} was never on record`);
      if (page.title === 'esimen.ee' && name === 'esimene.ee' && isOn && !near?.includes(name))
        given.no(`${name} is near`);
    }
  const changed = page.parts.get('What its users and systems changed');
  if (changed?.startsWith('No change') && story.changedBy.includes(given.key))
    given.no('they have changed something');
  // Whose name it was then, nobody can see: today's stands behind the code, and is called so.
  const beside = new RegExp(`(?:${humans.map(({ name }) => name).join('|')}) REG\\d+:`);
  for (const entry of page.entries)
    if (beside.test(entry)) given.no(`a name of today in an old entry: ${entry}`);
}

/** What needs attention, and since when. */
function alarmsOf({ story, before, now }: Given): string[] {
  const today = dayAfter(now, 0);
  const open = story.disclosures.filter(({ outcome }) => !outcome);
  const hoursLeft = (one: { askedAt: Date }) =>
    72 - (now.getTime() - one.askedAt.getTime()) / 3_600_000;
  const overdue = demandsOf(story).filter((one) => isOverdue(one, now));
  const names = [...story.names].flatMap(([name, life]) => {
    const auction = heldBy(life);
    const isPaid = auction && statusOf(auction) === 'payment_received';
    return [
      ...(stayOf(life) && auction ? [`domain ${name} ${wordsOf(statusOf(auction))}`] : []),
      ...(!stayOf(life) && isPaid && auction.deadline && auction.deadline < today
        ? [`unregistered ${name}`]
        : []),
    ];
  });
  const accounts = [...story.accounts].flatMap(
    ([code, { user, certificateEnds: ends, webhook }]) => {
      const daysLeft = ends ? (ends.getTime() - now.getTime()) / dayLength : 31;
      const isFailing =
        webhook?.failedAt && now.getTime() - webhook.failedAt.getTime() >= 3_600_000;
      return [
        ...(daysLeft <= 30 ? [`certificate ${user} ${daysLeft < 0 ? 'ended' : 'ends'}`] : []),
        ...(isFailing && timesOf(webhook, 'missing').length > 0 ? [`webhook ${code}`] : []),
        ...(timesOf(webhook, 'given up').length > 0 ? [`given up ${code}`] : []),
      ];
    },
  );
  // For two minutes after a change of its source, a list is not late.
  const [is, was] = [sourcesOf(story, today), sourcesOf(before, today)];
  const lists = listsOf(story, today);
  const late = listed.filter(
    (list) => is[list] === was[list] && `${lists[list]}` !== `${story.published[list]}`,
  );
  return [
    ...open
      .filter((one) => hoursLeft(one) <= 24)
      .map((one) => `disclosure ${one.id} ${hoursLeft(one) < 0 ? 'was' : 'is'}`),
    ...(overdue.length > 0 ? [`demands ${overdue.length}`] : []),
    ...[...names, ...accounts],
    ...late.map((list) => `list ${list}`),
  ];
}

/** What an alarm says, in the words of the function above, and whether more of it is so. */
export const alarms: [
  pattern: string,
  words: string,
  isSo?: (match: string[], given: Given) => unknown,
][] = [
  ['Warning: Contacts with overdue demands for verification: (\\d+)\\.', 'demands $1'],
  [
    `(?:Warning|Alarm): The request for disclosure (\\d+) (is|was) to be answered by ${instant}\\.`,
    'disclosure $1 $2',
  ],
  [
    'Warning: (\\S+) is a registered domain, and has an auction with the status (.*)\\.',
    'domain $1 $2',
  ],
  [
    `Warning: (\\S+) was sold at auction and is paid, and was to be registered by ${aDay}\\.`,
    'unregistered $1',
    ([, name, day], { story }) => dayIn(day!) === heldBy(story.names.get(name!)!)!.deadline,
  ],
  [
    `Alarm: The last certificate of API user (\\S+), which needs one, (ends|ended) at ${instant}(?:: its logins are refused)?\\.`,
    'certificate $1 $2',
  ],
  [
    `Alarm: The webhook of ${registrar} fails; the oldest delivery that has not arrived was created at ${instant}\\.`,
    'webhook $1',
    ([, code, state, since], given) =>
      isState(code!, state, given) && isOldestMissing(given.story.accounts.get(code!)!, since!),
  ],
  [
    `Warning: Deliveries to the webhook of ${registrar} that were given up: \\d+, the oldest created at ${instant}\\. Send them again, or drop them\\.`,
    'given up $1',
    ([, code, state], given) => isState(code!, state, given),
  ],
  [
    `Alarm: The list (\\S+) has been behind its source since ${instant}\\.`,
    'list $1',
    ([, list, since], { story }) => isBehind(story, list!, since!),
  ],
  [
    'Warning: (\\S+) has had no auction since one ended as (.*), and is or was blocked or disputed\\.',
    '',
    ([, name, status], { story }) => {
      const life = story.names.get(name!)!;
      const isHindered =
        life.disputes.length > 0 || life.retained.some((one) => one.status === 'blocked');
      const last = lastAuctionOf(life);
      return last && wordsOf(statusOf(last)) === status && isHindered && !stayOf(life);
    },
  ],
];
const wordsOf = (status: string) => status.replaceAll('_', ' ');

type Webhook = Account['webhook'];
const timesOf = (webhook: Webhook, ...states: string[]) =>
  [...(webhook?.seen.values() ?? [])]
    .filter(({ state }) => states.includes(state))
    .map(({ at }) => at.getTime());

/** Those that were given up have not arrived either, and older ones may never have been attempted. */
function isOldestMissing({ webhook }: Account, since: string): boolean {
  const oldest = new Date(Math.min(...timesOf(webhook, 'missing', 'given up')));
  const isArrived = timesOf(webhook, 'arrived').some((time) => isAt(since, new Date(time)));
  return isAt(since, oldest) || (minuteOf(since) < minuteAt(oldest) && !isArrived);
}

/** Since a change, or since the midnight at which a dispute began or ended. */
function isBehind({ changed, names }: Story, list: string, since: string): boolean {
  const disputes = [...names.values()].flatMap((life) => life.disputes);
  const isMidnight = disputes.some(({ firstDay, lastDay, openedAt }) =>
    [firstDay, dayAfter(new Date(lastDay), 1)].some(
      (day) => isAt(since, new Date(day)) && openedAt < new Date(day),
    ),
  );
  const parts = listed.filter((one) => one === list || (list === 'all' && one !== 'auctions'));
  return parts.some(
    (one) =>
      isAt(since, changed.get(one)) ||
      (one === 'disputed' ? isMidnight : one !== 'auctions' && changed.size > 0),
  );
}

function judgeAlarms(given: Given): void {
  const { page, story, now, no } = given;
  const expected = alarmsOf(given);
  const said = page.answer.map((sentence) => {
    const known = alarms.find(([pattern]) => wholly(pattern).test(sentence));
    if (!known) return no(`no judge knows it: ${sentence}`);
    const match = wholly(known[0]).exec(sentence)!;
    const words = known[1].replace(/\$(\d)/g, (_, n) => match[Number(n)]!);
    // A list may be behind for less than its alarm takes, and one has more in it than the others.
    if (known[2] ? !known[2](match, given) : !expected.includes(words))
      no(`it is not so: ${sentence}`);
    return words;
  });
  for (const one of expected) if (!said.includes(one)) no(`nothing is said of: ${one}`);
  const title = page.answer.length === 0 ? 'No alarm, no warning' : 'Needs attention';
  if (page.title !== title) no(`${page.title} over ${page.answer.length} alarms`);
  const waits = page.parts.get('What waits') ?? '';
  const waiting =
    story.disclosures.some(({ outcome }) => !outcome) ||
    demandsOf(story).some((one) => isOverdue(one, now));
  if (waiting === waits.includes('No request for disclosure is open')) no(`what waits: ${waits}`);
}

/** Finds what a search says that is not so of those who have, or had, the text. */
export function judgeSearch(text: string, { story, page, no }: Given): void {
  const has = (
    one: StoryContact,
    { ident, email, phone, human }: StoryContact['versions'][number],
  ) => [one.code, one.uuid, ident, email, phone, humans[human]!.name].includes(text);
  const now = present(story).filter((one) => has(one, nowOf(one)));
  const isFormer = (one: StoryContact) =>
    !now.includes(one) && one.versions.some((version) => has(one, version));
  const gone = story.contacts.filter((one) => one.goneAt && isFormer(one));
  const name = story.names.has(text) || text === 'esimen.ee';
  if (name !== (page.path === `/name/${text}`)) no(`${text} leads to ${page.path}`);
  if (name) return;
  const isNamed = gone.some((one) => [one.code, one.uuid].includes(text));
  if (/Nothing (found|to show)/.test(page.title)) {
    const isUnsearched = /Former telephone numbers are not searched/.test(page.text);
    const isKnown = isNamed || [...story.contacts].some((one) => !one.isErased && isFormer(one));
    if (now.length > 0 || isNamed) no(`nothing found for ${text}`);
    else if (isKnown && !(isUnsearched && /^\+|^[A-Z]\w+ [A-Z]/.test(text)))
      no(`nothing found for ${text}, which was there`);
    return;
  }
  if (/^\/(contact|person)\//.test(page.path)) {
    const landed = contactOf({ story, key: decodeURIComponent(page.path.split('/')[2]!) });
    const isSaid = landed?.goneAt && /no longer exists|had this code/.test(page.text);
    if (!(landed && now.includes(landed)) && !isSaid)
      no(`${text} leads to ${page.title} without a word`);
    return;
  }
  const asked = story.disclosures.filter(
    ({ uuid }) => !story.contacts.find((each) => each.uuid === uuid)!.isErased,
  );
  for (const one of now) {
    if (!page.rows.some((row) => row.includes(one.code))) no(`${text}: ${one.code} is missing`);
    const isAsked = asked.some(({ ident }) => ident === nowOf(one).ident);
    if (isAsked && !page.kept.some((each) => each.includes(one.code)))
      no(`${text}: a request for the data of ${one.code} is not named`);
  }
  for (const row of page.rows)
    if (!now.some((one) => row.includes(one.code))) no(`${text}: has it no longer: ${row}`);
}

/** The tool says what the desk says. */
export function judgeTool(output: string, answer: readonly string[], no: (why: string) => void) {
  // A registrar's code and state are in one pair of brackets, or only its state.
  const words = (text: string) => text.replace(/[\s(),;.]+/g, ' ');
  for (const sentence of answer.filter((one) => !one.includes('understood as')))
    if (!words(output).includes(words(sentence))) no(`not said: ${sentence}`);
}

/** The tool has the alarms of the desk, with times as programs write them. */
export function judgeHealth(output: string, answer: readonly string[], no: (why: string) => void) {
  for (const level of ['Alarm', 'Warning']) {
    const count = answer.filter((one) => one.startsWith(level)).length;
    const lines = output.match(new RegExp(`^${level.toLowerCase()} `, 'gm')) ?? [];
    if (lines.length !== count) no(`${lines.length} of level ${level}, not ${count}`);
  }
}

export function judgeShown(
  output: string,
  story: Story,
  one: StoryContact,
  no: (why: string) => void,
): void {
  const { ident, email, phone, human } = nowOf(one);
  const names = [...story.names].filter(([, life]) => {
    const stay = stayOf(life);
    return stay && [stay.registrant, ...stay.others].includes(one.uuid);
  });
  const said = new Map(
    output
      .split('\n')
      .map((line) => /^(\w+): +(.*)$/.exec(line)?.slice(1) as [string, string])
      .filter(Boolean),
  );
  const expected = {
    registrar: one.registrar,
    code: one.code,
    name: humans[human]!.name,
    ident: `FI ${ident}`,
    email,
    phone,
  };
  for (const [field, value] of Object.entries(expected))
    if (said.get(field) !== value) no(`${field} is ${said.get(field)}, not ${value}`);
  const domains = (said.get('domains') ?? '')
    .split(/[- ,]+/)
    .filter(Boolean)
    .sort();
  if (`${domains}` !== `${names.map(([name]) => name).sort()}`) no(`domains: ${domains}`);
}

/** The page for the public says what was published last. */
export function judgePublic(html: string, { story, key, no }: Given): void {
  const [answer = ''] = /<section class="answer .*?<\/section>/s.exec(html) ?? [];
  const verdict = plain(/<h2.*?<\/h2>/s.exec(answer)?.[0] ?? '');
  const states = {
    blocked: 'blocked',
    disputed: 'disputed',
    auctions: 'in auction',
    reserved: 'reserved',
  };
  const is = (Object.keys(states) as (keyof Lists)[])
    .filter((list) => story.published[list].includes(key))
    .map((list) => states[list]);
  const listing = is.join(', ').replace(/, (?=[^,]*$)/, ' and ');
  const outside: Record<string, string> = {
    'pood.esimene.ee': 'belongs to esimene.ee',
    'com.ee': 'is a zone of this registry',
    'esimene.org': 'is not a name of this registry',
  };
  const expected = listing ? `is ${listing}` : (outside[key] ?? 'is on none of the lists');
  if (verdict !== `${key} ${expected}`) no(`${verdict}, not ${expected}`);
}
