import type { RetainedDomain } from '../name/retained/list.ts';
import { plain, type Shown } from './columns.ts';

export const retainedView: Shown<RetainedDomain> = {
  name: 'retained_domains',
  columns: { name: 'name', punycode_name: 'punycode', ...plain('status', 'lastDay', 'comment') },
  table: 'name punycode_name status last_day',
};
