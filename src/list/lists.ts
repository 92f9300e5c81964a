import { retainedStatuses } from '../../drizzle/schema.ts';

/** The stored statuses, and `disputed`, which depends on the day. */
export type ListedStatus = (typeof retainedStatuses)[number] | 'disputed';

export type NameStatus = ListedStatus | 'auction';

interface PublicList {
  path: `/repp/v1/${string}`;
  /** The query parameter that selects the list; undefined if the path alone does. */
  type: string | undefined;
  field: 'auctions' | 'domains';
  entries: readonly NameStatus[];
}

const retainedPath = '/repp/v1/retained_domains';

/** Every public list. The URLs, the publisher, the daily counts and the tool are derived from this table. */
export const publicLists = {
  auctions: { path: '/repp/v1/auctions', type: undefined, field: 'auctions', entries: ['auction'] },
  all: {
    path: retainedPath,
    type: undefined,
    field: 'domains',
    entries: [...retainedStatuses, 'disputed'],
  },
  reserved: { path: retainedPath, type: 'reserved', field: 'domains', entries: ['reserved'] },
  blocked: { path: retainedPath, type: 'blocked', field: 'domains', entries: ['blocked'] },
  disputed: { path: retainedPath, type: 'disputed', field: 'domains', entries: ['disputed'] },
} as const satisfies Record<ListedStatus, PublicList> & Record<string, PublicList>;

export type ListName = keyof typeof publicLists;
export type ListPath = (typeof publicLists)[ListName]['path'];

/** The names that came into auction, for a feed reader. */
export const feedPath = '/auctions.atom';

export const listNames = Object.keys(publicLists) as ListName[];

export function perList<Value>(makeValue: (list: ListName) => Value) {
  const values = listNames.map((list) => [list, makeValue(list)] as const);
  return Object.fromEntries(values) as Record<ListName, Value>;
}

export const listPaths: readonly ListPath[] = [
  ...new Set(listNames.map((list) => publicLists[list].path)),
];

export function findList(path: ListPath, type: string | undefined): ListName | undefined {
  return listNames.find(
    (list) => publicLists[list].path === path && publicLists[list].type === type,
  );
}

export function hasTypes(path: ListPath): boolean {
  return listNames.some(
    (list) => publicLists[list].path === path && publicLists[list].type !== undefined,
  );
}

/** Together, these two lists contain every public name. */
export const auctionList = 'auctions' satisfies ListName;
export const retainedList = 'all' satisfies ListName;

export function isOfAuctions(list: ListName): boolean {
  return shows(list, 'auction');
}

export const auctionLists: readonly ListName[] = listsShowing(['auction']);

/** All but the list that joins several others. */
export type SingleList = Exclude<ListName, typeof retainedList>;
export const singleLists = listNames.filter((list) => list !== retainedList);

export function listsShowing(statuses: readonly NameStatus[]): ListName[] {
  return listNames.filter((list) => statuses.some((status) => shows(list, status)));
}

export function shows(list: ListName, status: NameStatus): boolean {
  const { entries }: PublicList = publicLists[list];
  return entries.includes(status);
}

export function cacheTag(list: ListName): string {
  return `list-${list}`;
}
