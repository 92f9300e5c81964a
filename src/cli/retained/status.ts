import { Option } from '@commander-js/extra-typings';
import { retainedStatuses } from '../../../drizzle/schema.ts';

export const statusOption = (description: string) =>
  new Option('--status <status>', description).choices(retainedStatuses);
