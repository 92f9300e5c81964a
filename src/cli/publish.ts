import type { ListName } from '../public-list/lists.ts';
import { publish } from '../public-list/publish.ts';
import type { Registry } from './registry.ts';

/** Publishes the lists and tells which of them changed; nothing in a dry run. */
export async function publishLists(
  { db, env, isDryRun }: Registry,
  lists: readonly ListName[],
  options: { isForced?: boolean } = {},
): Promise<ListName[]> {
  return isDryRun ? [] : publish(db, env.LISTS, lists, () => new Date(), options);
}

/** The end of a report's line: what of it the public sees. */
export function publishedText(lists: readonly ListName[]): string {
  return lists.length === 0 ? '' : `; published: ${lists.join(', ')}`;
}
