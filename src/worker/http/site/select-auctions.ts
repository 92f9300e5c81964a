import { onFirstUseOf } from '../../../base/on-first-use.ts';
import type { BrowsedName } from '../../../list/read/browse.ts';
import type { Language } from '../request/language.ts';
import type { Sort, View } from './view.ts';

type Names = readonly BrowsedName[];

const pageAuctions = 50;

/** A page beyond the last one is the last one. */
export function selectAuctions(
  all: Names,
  { auctions: part, sort, page }: View,
  language: Language,
) {
  const matching = inOrder(all, sort, language).filter(
    ({ name, punycode }) => name.includes(part) || punycode.includes(part),
  );
  const pages = Math.max(1, Math.ceil(matching.length / pageAuctions));
  const shownPage = Math.min(page, pages);
  const shown = matching.slice((shownPage - 1) * pageAuctions, shownPage * pageAuctions);
  return { shown, count: matching.length, page: shownPage, pages };
}

/**
 * Kept because sorting thousands of names takes milliseconds. Shared by all requests, as the list is, and forgotten
 * with it.
 */
const ordersOf = onFirstUseOf((_: Names) => new Map<string, Names>());

function inOrder(all: Names, sort: Sort, language: Language): Names {
  const ofList = ordersOf(all);
  const key = `${language} ${sort}`;
  const sorted = ofList.get(key) ?? all.toSorted(comparison(sort, language));
  ofList.set(key, sorted);
  return sorted;
}

function comparison(sort: Sort, language: Language): (a: BrowsedName, b: BrowsedName) => number {
  const { compare } = new Intl.Collator(language);
  const direction = sort.startsWith('-') ? -1 : 1;
  if (!sort.endsWith('length')) return (a, b) => direction * compare(a.name, b.name);
  return (a, b) => direction * (lengthOf(a) - lengthOf(b)) || compare(a.name, b.name);
}

/** Characters, not code units. */
export function lengthOf({ name }: BrowsedName): number {
  return [...name].length;
}
