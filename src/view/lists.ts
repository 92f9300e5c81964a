import type { Published } from '../list/format/head.ts';
import type { ListName } from '../list/lists.ts';
import { plain, type ViewColumns } from './columns.ts';

type ListState = Partial<Published & { ageSeconds: number; matchesDatabase: boolean | null }> & {
  list: ListName;
  behind: boolean;
};

export const listsView = {
  name: 'lists',
  columns: {
    ...plain<ListState>('list', 'count', 'blocks', 'bytes', 'etag', 'publishedAt', 'ageSeconds'),
    last_change: { of: lastChange, cell: changeText },
    took_ms: 'tookMilliseconds',
    behind: 'behind',
    matches_database: 'matchesDatabase',
  } satisfies ViewColumns<ListState>,
  table: 'list count blocks bytes etag published_at last_change behind',
};

function lastChange({ publication, added, removed }: ListState) {
  return publication === undefined ? null : { added, removed };
}

/** `+3 -1`. The numbers of a first or very large publication are unknown. */
function changeText({ added, removed, publication }: ListState): string | undefined {
  if (publication === undefined) return undefined;
  return added === null || removed === null ? 'whole list' : `+${added} -${removed}`;
}
