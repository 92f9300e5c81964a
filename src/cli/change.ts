import type { FieldChange } from '../../drizzle/schema.ts';
import { type Changes, shownChanges } from '../history/changes.ts';
import type { Registry } from './registry.ts';

/** The report of changed fields of one thing, such as `contact ALPHA:1`. */
export function reportOfChange(
  { isDryRun, did }: Pick<Registry, 'isDryRun' | 'did'>,
  thing: string,
  recorded: Changes,
) {
  const changes = shownChanges(recorded);
  const fields = Object.entries(changes).map(
    ([field, change]) => `${field}: ${changeText(change)}`,
  );
  const isChanged = fields.length > 0;
  return {
    data: { changes, changed: isChanged && !isDryRun },
    text: isChanged
      ? `${did('change')} ${thing}: ${fields.join('; ')}`
      : `nothing to change: ${thing} already has these values`,
  };
}

/** Both values, or that they are not shown. */
export function changeText(change: FieldChange): string {
  if ('redacted' in change) return 'changed (not shown)';
  if ('removed' in change) return 'changed (values removed)';
  const { from, to } = change;
  return `${JSON.stringify(from)} to ${JSON.stringify(to)}`;
}
