import { limitTime } from '../../../base/database/retry.ts';
import {
  type DomainName,
  hostWithin,
  type NameFault,
  nameOpenedFor,
  readDomainName,
} from '../../../base/text/domain-name.ts';
import { dayOf, daysBefore, isDay } from '../../../base/time/day.ts';
import { readDailyCounts } from '../../../list/daily-counts.ts';
import { auctionList, listNames, retainedList } from '../../../list/lists.ts';
import { type NameInterval, readNameHistory } from '../../../list/name-history/name-history.ts';
import { browseNames, readNames } from '../../../list/read/browse.ts';
import { findNames, type ListedName } from '../../../list/read/look-up.ts';
import { type Reader, readFacts } from '../../../list/read/parts.ts';
import { findOutside, type Outside } from '../../../name/domain/rules.ts';
import type { View } from './view.ts';

export type Answer =
  | { isName: false; fault: NameFault; meant: DomainName | undefined }
  | {
      isName: true;
      domain: DomainName;
      /** Whether the visitor gave more or less than the name. */
      isTaken: boolean;
      outside: Outside | undefined;
      /** Undefined while the lists cannot be read. */
      listed: ListedName | undefined;
      /** Undefined while the database is unreachable or slow. */
      history: NameInterval[] | undefined;
    };

/** A part that cannot be read at the moment is undefined. */
export type Content = Awaited<ReturnType<typeof readContent>>;

const pageNames = 50;
const firstNames = 10;

/** The rest comes from KV, and does not wait longer for a history. */
const patienceMilliseconds = 1_000;

/**
 * Reads all parts at the same time. A part that fails does not take the others with it, unless `report`, which gets its
 * error, throws.
 */
export async function readContent(
  view: View,
  zones: readonly string[],
  reader: Reader,
  report: (error: unknown) => void,
) {
  const part = <Part>(read: Promise<Part>) =>
    read.catch((error): undefined => {
      report(error);
    });
  const { starts: prefix, after } = view;
  const limit = prefix || after ? pageNames : firstNames;
  const range = { prefix, after: after || undefined, limit };
  const meant = nameMeant(view.name, zones);
  const asked = view.name === '' ? undefined : readDomainName(meant);
  const domain = asked?.domain;
  const historyOf = (name: string) => readNameHistory(reader.db(), name, reader.clock());
  const [found, history, auctions, retained, facts, days] = await Promise.all([
    domain && part(findNames([domain.name], reader)),
    domain && part(limitTime(patienceMilliseconds, historyOf(domain.name))),
    part(readNames(auctionList, reader)),
    part(browseNames(retainedList, range, reader)),
    part(readFacts(reader)),
    part(readDailyCounts(reader)),
  ]);
  const answer: Answer | undefined = domain
    ? {
        isName: true,
        domain,
        isTaken: meant !== view.name,
        outside: findOutside(domain.name, zones),
        listed: found?.[0],
        history,
      }
    : asked && { isName: false, fault: asked.fault, meant: nameOpenedFor(meant) };
  const yesterday = daysBefore(dayOf(reader.clock()), 1);
  const isPast = isDay(view.as_of) && view.as_of <= yesterday;
  const asOf = { yesterday, isNotPast: view.as_of !== '' && !isPast };
  return { answer, asOf, auctions, retained, facts, days };
}

/** Whether no part is missing that may be there in a moment. */
export function isComplete({ answer, auctions, retained, facts, days }: Content): boolean {
  const isAnswered = !answer?.isName || (answer.listed !== undefined && answer.history);
  const hasFacts = facts !== undefined && listNames.every((list) => facts[list] !== undefined);
  return Boolean(isAnswered && auctions && retained && hasFacts && days?.length);
}

/** A visitor may give an address of a page or of e-mail, a name with `www.` in front, or one without its zone. */
function nameMeant(given: string, [zone]: readonly string[]): string {
  const host = hostWithin(given).replace(/^www\.(?=.+\.)/i, '');
  return host.includes('.') || zone === undefined ? host : `${host}.${zone}`;
}
