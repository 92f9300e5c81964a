import type { ListedStatus } from '../../public-list/lists.ts';
import type { ListedName } from '../../public-list/read/names.ts';

/** A name has the states that the public lists give it. */
export type State = ListedStatus | 'auction';

const strictestFirst = {
  blocked: true,
  disputed: true,
  auction: true,
  reserved: true,
} satisfies Record<State, true>;

/** The states of a name, the strictest first. */
export function statesOf({ statuses, isInAuction }: ListedName): State[] {
  const has = (state: State) => (state === 'auction' ? isInAuction : statuses.includes(state));
  return (Object.keys(strictestFirst) as State[]).filter(has);
}
