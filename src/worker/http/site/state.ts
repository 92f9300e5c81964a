import type { NameStatus } from '../../../list/lists.ts';
import type { ListedName } from '../../../list/read/look-up.ts';

const strictestFirst = {
  blocked: true,
  disputed: true,
  auction: true,
  reserved: true,
} satisfies Record<NameStatus, true>;

export function statesOf({ statuses, isInAuction }: ListedName): NameStatus[] {
  return inOrder(isInAuction ? [...statuses, 'auction'] : statuses);
}

export function inOrder(states: readonly NameStatus[]): NameStatus[] {
  return (Object.keys(strictestFirst) as NameStatus[]).filter((state) => states.includes(state));
}
