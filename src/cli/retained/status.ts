import { Option } from '@commander-js/extra-typings';
import { retainedStatuses } from '../../../drizzle/schema.ts';
import type { ListName } from '../../public-list/source.ts';
import type { RetainedStatus } from '../../retained-domain/list.ts';

export const statusOption = (description: string) =>
  new Option('--status <status>', description).choices(retainedStatuses);

/** The public lists in which a change of such names is seen. */
export function listsOf(statuses: readonly RetainedStatus[]): ListName[] {
  return ['all', ...statuses];
}
