import type { ListName } from '../../public-list/source.ts';

/** The public lists in which a dispute is seen. */
export const disputeLists: readonly ListName[] = ['all', 'disputed'];
