import type { NameStatus } from '../../public-list/name-history/spans.ts';
import type { ListedName } from '../../public-list/read/look-up.ts';

export type State = NameStatus;

const strictestFirst = {
  blocked: true,
  disputed: true,
  auction: true,
  reserved: true,
} satisfies Record<State, true>;

export function statesOf({ statuses, isInAuction }: ListedName): State[] {
  return inOrder(isInAuction ? [...statuses, 'auction'] : statuses);
}

export function inOrder(states: readonly State[]): State[] {
  return (Object.keys(strictestFirst) as State[]).filter((state) => states.includes(state));
}
