import { type DomainName, type NameFault, readDomainName } from '../../domain/name.ts';
import { findOutside, type Outside } from '../../domain/zone.ts';
import { readDailyCounts } from '../../public-list/daily-counts.ts';
import { auctionList, listNames, retainedList } from '../../public-list/lists.ts';
import { type BrowsedName, browseNames, readNames } from '../../public-list/read/browse.ts';
import { readFacts } from '../../public-list/read/facts.ts';
import { findNames, type ListedName } from '../../public-list/read/names.ts';
import type { Reader } from '../../public-list/read/reader.ts';
import type { View } from './view.ts';

/** About the name that was asked for. */
export type Answer =
  | { isName: false; given: string; fault: NameFault }
  | {
      isName: true;
      domain: DomainName;
      outside: Outside | undefined;
      /** Undefined while the lists cannot be read. */
      listed: ListedName | undefined;
    };

/** The parts of the page. One that cannot be read at the moment is undefined. */
export interface Content {
  answer: Answer | undefined;
  auctions: readonly BrowsedName[] | undefined;
  retained: { names: BrowsedName[]; hasMore: boolean } | undefined;
  facts: Awaited<ReturnType<typeof readFacts>> | undefined;
  days: Awaited<ReturnType<typeof readDailyCounts>> | undefined;
}

/** Names on a page of the retained ones, and those on the page that nobody has browsed yet. */
const pageNames = 50;
const firstNames = 10;

/**
 * Reads all parts at the same time. A part that fails does not take the others with it, unless `report`, which gets its
 * error, throws.
 */
export async function readContent(
  view: View,
  zones: readonly string[],
  reader: Reader,
  report: (error: unknown) => void,
): Promise<Content> {
  const part = <Part>(read: Promise<Part>) =>
    read.catch((error): undefined => {
      report(error);
    });
  const { starts: prefix, after } = view;
  const limit = prefix || after ? pageNames : firstNames;
  const range = { prefix, after: after || undefined, limit };
  const [answer, auctions, retained, facts, days] = await Promise.all([
    answerTo(view.name, zones, (name) => part(findNames([name], reader))),
    part(readNames(auctionList, reader)),
    part(browseNames(retainedList, range, reader)),
    part(readFacts(reader)),
    part(readDailyCounts(reader)),
  ]);
  return { answer, auctions, retained, facts, days };
}

/** Whether nothing is missing that may be there in a moment. */
export function isComplete({ answer, auctions, retained, facts, days }: Content): boolean {
  const isAnswered = !answer?.isName || answer.listed !== undefined;
  const hasFacts = facts !== undefined && listNames.every((list) => facts[list] !== undefined);
  return Boolean(isAnswered && auctions && retained && hasFacts && days?.length);
}

async function answerTo(
  given: string,
  zones: readonly string[],
  find: (name: string) => Promise<ListedName[] | undefined>,
): Promise<Answer | undefined> {
  if (given === '') return undefined;
  const { domain, fault } = readDomainName(given);
  if (!domain) return { isName: false, given, fault };
  const listed = await find(domain.name);
  const outside = findOutside(domain.name, zones);
  return { isName: true, domain, outside, listed: listed?.[0] };
}
