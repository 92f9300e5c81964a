import { nameFaults } from '../../../../base/text/domain-name.ts';
import type { NameStatus, SingleList } from '../../../../list/lists.ts';
import { dayFormat, joinWords, numbersOf, statesIn } from './format.ts';

const { number, countText, month } = numbersOf('en-GB');
const date = dayFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

const states = {
  reserved: 'reserved',
  blocked: 'blocked',
  disputed: 'disputed',
  auction: 'in auction',
} satisfies Record<NameStatus, string>;
const { anyState, retainedStates } = statesIn(states, 'or');

export const en = {
  languageName: 'In English',
  number,
  shortDate: date,
  month,
  instant: (day: string, time: string) => `${date(day)}, ${time}\u00a0UTC`,
  list: (words: readonly string[]) => joinWords(words, 'and'),

  siteName: 'Registry Edge',
  description: `Check whether a domain name is ${anyState}, and see all auctions in progress.`,
  skip: 'Skip to the content',
  sections: 'On this page',
  short: { auctions: 'Auctions', retained: 'Names', year: 'Year', developers: 'Developers' },
  languages: 'Reference and language',
  reference: 'Reference',
  guide: 'Guide',

  heading: 'Check a domain name',
  lead: `Is it ${anyState}?`,
  nameLabel: 'Domain name',
  nameHint: 'The whole name with its ending, for example näidis.ee.',
  check: 'Check',
  asOf: 'What was it at the end of a day (UTC)?',
  show: 'Show',
  wrongDay:
    'This is not a day that is over (in UTC): write year, month and day, for example 2026-01-31.',
  wrongName: (given: string, fault: string) => `“${given}” ${fault}.`,
  nameFaults,
  didYouMean: (name: string) => `Did you mean ${name}?`,
  takenFrom: (given: string) => `Taken from “${given}”.`,
  error: 'Error',
  isNow: (words: string) => `is ${words}`,
  isUnlisted: 'is on none of the lists',
  isForeign: 'is not a name of this registry',
  isZone: 'is a zone of this registry',
  isBelow: (name: string) => `belongs to ${name}`,
  states,
  unlisted:
    'Somebody may have it already, or may have won it at auction. [Ask a registrar] whether it can be registered.',
  foreign: (zones: readonly string[]) =>
    `This registry has only names that end in ${joinWords(zones, 'or')}.`,
  zone: 'Names are registered below it. It is not registered itself.',
  below: 'It is not registered separately: the holder of the name above it decides about it.',
  checkInstead: (name: string) => `Check ${name}`,
  meanings: {
    blocked: 'Nobody can register this name.',
    disputed:
      'Somebody disputes the right to this name. Until the dispute is settled, it is not registered, and does not pass to another person. A change of registrar is allowed. If you hold the name or claim it yourself, [ask the registry who decides the dispute, and how].',
    auction:
      'The name goes to the highest bidder. To get it, [bid at the auction centre] while the auction lasts. The auction centre shows the bids and the end of the auction.',
    reserved:
      'The registry has set this name aside. It can be registered only with the registry’s consent, under the procedure for reserved names.',
  } satisfies Record<NameStatus, string>,
  asJson: 'For programs (JSON)',
  asCsv: 'For a spreadsheet (CSV)',
  asFeed: 'New auctions as a feed (Atom)',
  lookUp: 'Look up whether it is registered',
  history: 'History',
  historyAsJson: 'Its history (JSON)',
  until: 'until',
  since: 'since',
  wasOn: (day: string, words: string) =>
    `According to the registry’s records, it was ${words} at the end of ${day}.`,
  mayHaveBeenOn: (day: string, words: string) =>
    `Whether it was ${words} at the end of ${day} is no longer on record.`,
  wasUnlistedOn: (day: string) =>
    `According to the registry’s records, it was on none of the lists at the end of ${day}.`,
  listsAreLate: 'The lists are behind at the moment: the latest changes may be missing.',
  noAnswer: 'The lists cannot be read at the moment. Try again in a minute.',

  auctions: 'Auctions in progress',
  auctionCount: countText('auction', 'auctions'),
  published: (instant: string) => `Published ${instant}`,
  filter: 'Filter',
  filterLabel: 'Part of a name',
  matching: (count: string, all: string) => `${count} of ${all}`,
  noMatch: 'No auction matches.',
  noAuctions: 'There are no auctions in progress.',
  name: 'Name',
  length: 'Length',
  all: 'Show all',
  previous: 'Previous',
  next: 'Next',
  first: 'Back to the beginning',
  pageOf: (page: number, pages: number) => `Page ${number(page)} of ${number(pages)}`,
  auctionPages: 'Pages of auctions',

  retained: 'Retained names',
  retainedLead: `Names that are ${retainedStates}.`,
  startsLabel: 'Beginning of the name',
  search: 'Search',
  startingWith: (starts: string) => `Names that begin with “${starts}”`,
  noNames: 'No retained name begins like this.',
  noRetained: 'No names are retained.',
  status: 'Status',
  retainedPages: 'Pages of names',

  year: 'The last year',
  yearLead:
    'How many names were on the public lists each day; the figure beside each title is that of the last count. Each chart has a scale of its own.',
  chartTitle: (list: string, from: string, to: string) => `${list}, ${from} to ${to}`,
  chartDescription: (first: string, last: string, lowest: string, highest: string) =>
    `${first} at the beginning, ${last} at the end; the lowest ${lowest}, the highest ${highest}. The table below has every day.`,
  asTable: 'The same figures as a table',
  day: 'Day',
  noYear: 'There are no figures to show. They are recorded once a day.',

  developers: 'For developers',
  developersLead: 'The lists are open to every program and need no key.',
  openapi: 'OpenAPI document',
  lists: {
    auctions: 'Auctions in progress',
    reserved: 'Reserved names',
    blocked: 'Blocked names',
    disputed: 'Disputed names',
  } satisfies Record<SingleList, string>,
  tryIt: 'Try it:',
  copy: 'Copy',
  copied: 'Copied',

  notNow: 'This cannot be shown at the moment. Try again in a minute.',
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page may have moved.',
  failed: 'Something went wrong',
  failedText: (requestId: string) =>
    `The page could not be made. Try again in a minute; if it fails again, send the registry this id: ${requestId}.`,
  throttled: 'Too many requests',
  throttledText: 'Your network sends very many requests. Try again in a minute.',
  refused: 'Not allowed',
  refusedText: 'This page can only be read.',
  toStart: 'To the start page',
  footer: 'All times are in UTC. This page sets no cookies.',
  policies: {
    verification: 'How registration data is verified',
    access: 'Who may have access to registration data',
  },
};

export type Texts = typeof en;
