import { retainedStatuses } from '../../drizzle/schema.ts';

/** The statuses on the lists of retained domains: those that are stored, and `disputed`, which depends on the day. */
export type ListedStatus = (typeof retainedStatuses)[number] | 'disputed';

/** What a name is on the lists. */
export type NameStatus = ListedStatus | 'auction';

/** One public list: where it is served, and what it contains. */
interface PublicList {
  path: `/repp/v1/${string}`;
  /** The value of the query parameter `type` that selects the list; undefined if the path alone selects it. */
  type: string | undefined;
  /** The field of the body that holds the entries. */
  field: 'auctions' | 'domains';
  /** A name is on the list for each of these that it is. */
  entries: readonly NameStatus[];
}

const retainedPath = '/repp/v1/retained_domains';

/**
 * Every public list. The URL map, the answers from memory, the error format of the paths, the publisher, the daily
 * counts and the tool are all derived from this table.
 */
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

export const listNames = Object.keys(publicLists) as ListName[];

export function perList<Value>(makeValue: (list: ListName) => Value) {
  const values = listNames.map((list) => [list, makeValue(list)] as const);
  return Object.fromEntries(values) as Record<ListName, Value>;
}

/** The paths that serve lists, each once. */
export const listPaths: readonly ListPath[] = [
  ...new Set(listNames.map((list) => publicLists[list].path)),
];

/** The list that a path serves for a `type`; undefined if there is none. */
export function findList(path: ListPath, type: string | undefined): ListName | undefined {
  return listNames.find(
    (list) => publicLists[list].path === path && publicLists[list].type === type,
  );
}

/** Whether the path serves several lists, from which `type` selects one. */
export function hasTypes(path: ListPath): boolean {
  return listNames.some(
    (list) => publicLists[list].path === path && publicLists[list].type !== undefined,
  );
}

/** The two lists that together contain every public name. */
export const auctionList = 'auctions' satisfies ListName;
export const retainedList = 'all' satisfies ListName;

/** Whether the list is one of auctions in progress, and not of names with a status. */
export function isOfAuctions(list: ListName): boolean {
  return shows(list, 'auction');
}

export const auctionLists: readonly ListName[] = listsShowing(['auction']);

/** The lists that are counted every day: all but the one that has the names of several others. */
export type CountedList = Exclude<ListName, typeof retainedList>;
export const countedLists = listNames.filter((list) => list !== retainedList);

/** The lists in which names with one of the statuses appear. */
export function listsShowing(statuses: readonly NameStatus[]): ListName[] {
  return listNames.filter((list) => statuses.some((status) => shows(list, status)));
}

/** Whether names with the status appear in the list. */
export function shows(list: ListName, status: NameStatus): boolean {
  const { entries }: PublicList = publicLists[list];
  return entries.includes(status);
}

/** The tag of the list's responses in the platform's cache. */
export function cacheTag(list: ListName): string {
  return `list-${list}`;
}
