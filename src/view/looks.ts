import type { Look } from '../contact/operator/looks.ts';
import { plain, type Shown } from './columns.ts';

export const looksView: Shown<Look> = {
  name: 'looks',
  columns: plain('lookedAt', 'lookedBy'),
  table: 'looked_at looked_by',
};
