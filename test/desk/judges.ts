import {
  dayAfter,
  disputeAt,
  humans,
  nowOf,
  present,
  retainedAt,
  type Story,
  type StoryContact,
  statusOf,
  stayOf,
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
const isAt = (text: string, at: Date | undefined) =>
  at !== undefined && Math.floor(at.getTime() / 60_000) === minuteOf(text);
const dayIn = (text: string) =>
  new Date(`${text.replace('Sept', 'Sep')} UTC`).toISOString().slice(0, 10);

const lifeOf = ({ story, page, key }: Given) =>
  story.names.get(page.title) ?? story.names.get(key)!;
const lastAuction = (given: Given) =>
  lifeOf(given).auctions.findLast(({ isCancelled }) => !isCancelled);
const contactOf = ({ story, key }: Pick<Given, 'story' | 'key'>): StoryContact | undefined =>
  story.contacts.find(({ uuid }) => uuid === key) ??
  present(story).find(({ code }) => code === key) ??
  story.contacts.findLast(({ code }) => code === key);
const requestOf = ({ story, key }: Given) =>
  story.disclosures.find(({ id }) => String(id) === key)!;
const codeOf = (story: Story, uuid: string) =>
  story.contacts.find((one) => one.uuid === uuid)!.code;

/** What prevents a registration now. */
function hindrances(given: Given): string[] {
  const life = lifeOf(given);
  const today = dayAfter(given.now, 0);
  const auction = lastAuction(given);
  const isHeld =
    auction && ['started', 'awaiting_payment', 'payment_received'].includes(statusOf(auction));
  return [
    ...(stayOf(life) ? ['registered'] : []),
    ...retainedAt(life, today).map(({ status }) => status),
    ...(disputeAt(life, today) ? ['disputed'] : []),
    ...(isHeld ? ['auction'] : []),
  ];
}

/** Requests for data with the identity of the contact that the page shows, as far as an erasure left them. */
function requestsFor({ story, key }: Given) {
  const one = contactOf({ story, key })!;
  const known = story.disclosures.filter(
    ({ uuid }) => !story.contacts.find((each) => each.uuid === uuid)!.isErased,
  );
  return known.filter(({ ident }) => ident === nowOf(one).ident);
}
type Request = ReturnType<typeof requestsFor>[number];
const isKept = ({ isConfidential, outcome, visibleAfter }: Request, now: Date) =>
  isConfidential || (outcome === 'granted' && visibleAfter !== undefined && visibleAfter > now);

const instant = String.raw`(?:\w{3} )?(\d+ \w+ \d{4}, \d\d:\d\d UTC) \([^)]*\)`;
const aDay = String.raw`(\d+ \w+ \d{4})`;
const aName = String.raw`(?:\S+\.ee|It)`;
const registrar = String.raw`(?:Registrar \d+ )?(REG\d+)(?: \([^)]*\))?`;

const dispute: Judge = ([, state, first, last, opened], given) => {
  const { disputes } = lifeOf(given);
  const today = dayAfter(given.now, 0);
  const one = disputes.find(
    (each) => !each.closedAt && each.firstDay === dayIn(first!) && each.lastDay === dayIn(last!),
  );
  if (!one || !isAt(opened!, one.openedAt)) return given.no('there is none');
  const isInForce = one.firstDay <= today && today <= one.lastDay;
  if (isInForce !== (state === 'is disputed')) given.no('in force, or not');
};

/** A sentence that no pattern knows is a failure, too. */
export const kinds: [pattern: string, judge: Judge][] = [
  [
    `\\S+ is registered with ${registrar}(?:, and held by (.*?))?(?:; administrative contact: .*?)?(?:; technical contact: .*?)?\\.`,
    ([, code, holder], given) => {
      const stay = stayOf(lifeOf(given));
      if (!stay || stay.registrar !== code) return given.no('with nobody, or another');
      if (!holder?.endsWith(codeOf(given.story, stay.registrant))) given.no('another holder');
    },
  ],
  [
    `It is on record here since ${instant}(?:, and again since ${instant})?(?:; its registrar last changed on ${instant})?(?:; the contact of its holder last changed on ${instant})?\\.`,
    ([, since, , moved, given_], given) => {
      const stay = stayOf(lifeOf(given));
      if (!stay || !isAt(since!, stay.recordedAt)) return given.no('since another time');
      if (moved && !isAt(moved, stay.withRegistrarSince)) given.no('moved at another time');
      if (given_ && !(isAt(given_, stay.heldSince) || isAt(given_, stay.withRegistrarSince)))
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
    `${aName} had a dispute \\(first day ${aDay}, last day ${aDay}\\) that was closed on ${instant}: settled\\.`,
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
    `${aName} (?:(?:is|was) to be registered by ${aDay}, which the auction centre sets: it )?was sold at auction and is (not )?paid\\.`,
    ([, deadline, not], given) => {
      const one = lastAuction(given);
      const status = not ? 'awaiting_payment' : 'payment_received';
      if (!one || statusOf(one) !== status) return given.no('it is not');
      if (deadline && dayIn(deadline) !== one.deadline) given.no('another day');
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
    },
  ],
  [
    'Its registration (?:is refused now: .*|needs .* now)\\.',
    (_, given) => {
      if (hindrances(given).length === 0) given.no('nothing prevents it');
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
    `The person (\\S+) \\(Finland\\), a contact of ${registrar}\\.`,
    ([, ident, code], given) => {
      const one = contactOf(given);
      if (!one || one.goneAt || nowOf(one).ident !== ident || one.registrar !== code)
        given.no('it is not');
    },
  ],
  [
    `This contact no longer exists: it was (deleted|erased) on ${instant} by the operator \\(olga\\)(?:, request \\S+\\. To whom its data were given is no longer known)?\\.`,
    ([, how, at], given) => {
      const one = contactOf(given);
      if (!one?.goneAt || Boolean(one.isErased) !== (how === 'erased')) given.no('it was not');
      else if (!isAt(at!, one.isErased ? one.erasedAt : one.goneAt)) given.no('at another time');
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
    'No granted request that the person may know of is on record with this identity code\\.',
    (_, given) => {
      const granted = requestsFor(given).filter(({ outcome }) => outcome === 'granted');
      if (granted.some((one) => !isKept(one, given.now))) given.no('one is');
    },
  ],
  [
    'Data were given on request to (.*), with this identity code\\.',
    ([, text], given) => {
      const granted = requestsFor(given).filter(
        (one) => one.outcome === 'granted' && !isKept(one, given.now),
      );
      const named = [...new Set(granted.map(({ organization }) => organization))];
      if (named.sort().join(', ') !== text!.split(', ').sort().join(', ')) given.no('to others');
    },
  ],
  [
    'The person (\\S+) \\(Finland\\) has (\\d+) contacts? at \\d+ registrars? with this identity, holds (\\d+) domains?, and is named in (\\d+) others?\\.',
    ([, ident, contacts, holds, named], { story, no }) => {
      const own = present(story).filter((one) => nowOf(one).ident === ident);
      const uuids = own.map(({ uuid }) => uuid);
      const stays = [...story.names.values()].flatMap((life) => stayOf(life) ?? []);
      const held = stays.filter(({ registrant }) => uuids.includes(registrant));
      const others = stays.filter(
        (stay) => !held.includes(stay) && stay.others.some((uuid) => uuids.includes(uuid)),
      );
      const counted = [own.length, held.length, others.length];
      if (counted.join() !== [contacts, holds, named].map(Number).join()) no(`it is ${counted}`);
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
    '(?:Warning|Alarm): The request for disclosure (\\d+) (?:is|was) to be answered by .*\\.',
    ([, id], { story, no }) => {
      if (story.disclosures.find((one) => String(one.id) === id)!.outcome) no('it is answered');
    },
  ],
  // Of the service, or of what the story does not do.
  ['(?:Warning|Alarm): .*', () => {}],
  ['.*API users? .*|Neither its phone nor its e-mail address is recorded\\.', () => {}],
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
const patterns = kinds.map(([pattern]) => new RegExp(`^(?:${pattern})$`));

/** Finds what is said, on any page but that of a search, and is not so. */
export function judgePage(given: Given): void {
  const { page, story, now } = given;
  const sentences = [...page.answer, ...page.kept];
  for (const sentence of sentences) {
    const index = patterns.findIndex((pattern) => pattern.test(sentence));
    const no = (why: string) => given.no(`${why}: ${sentence}`);
    if (index < 0) no('no judge knows it');
    else kinds[index]![1](patterns[index]!.exec(sentence)!, { ...given, no });
  }
  const one = page.path.startsWith('/contact/') ? contactOf(given) : undefined;
  if (one && !page.answer.some((each) => / had this code/.test(each))) {
    const secrets = one.isErased ? [] : requestsFor(given).filter((each) => isKept(each, now));
    for (const { organization } of secrets) {
      if (!page.kept.some((each) => each.includes(organization))) given.no('a secret is not named');
    }
    const looked = page.parts.get('Who looked') ?? '';
    const count = one.looks.filter(({ isRecorded }) => isRecorded).length;
    const listed = looked.split('kati@r.example').length - 1;
    if (listed !== Math.min(count, 10)) given.no(`${count} looks, ${listed} listed: ${looked}`);
    if (!/Only the deployed desk keeps looks/.test(looked)) given.no('looks are kept everywhere?');
  }
  const waits = page.parts.get('What waits');
  if (waits === 'Nothing waits for you.' && story.disclosures.some(({ outcome }) => !outcome))
    given.no('a request waits');
  const changed = page.parts.get('What its users changed');
  if (changed?.startsWith('They have changed no') && story.changedBy.includes(given.key))
    given.no('they have changed something');
  // Whose name it was then, nobody can see: today's stands behind the code, and is called so.
  const beside = new RegExp(`(?:${humans.map(({ name }) => name).join('|')}) REG\\d+:`);
  for (const entry of page.entries)
    if (beside.test(entry)) given.no(`a name of today in an old entry: ${entry}`);
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
