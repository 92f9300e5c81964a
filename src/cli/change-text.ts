import type { FieldChange } from '../../drizzle/schema.ts';

/** Both values, or that they are not shown. */
export function changeText(change: FieldChange): string {
  if ('redacted' in change) return 'changed (not shown)';
  if ('removed' in change) return 'changed (values removed)';
  const { from, to } = change;
  return `${JSON.stringify(from)} to ${JSON.stringify(to)}`;
}
