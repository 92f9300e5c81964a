import { type Changes, shownChanges } from '../../history/changes.ts';
import { changeText } from '../change-text.ts';
import type { Registry } from '../registry.ts';
import type { Report } from '../run.ts';
import { did } from '../text.ts';

/** The report of a contact's change, field by field. */
export function reportOfChange(registry: Registry, code: string, recorded: Changes): Report {
  const changes = shownChanges(recorded);
  const fields = Object.entries(changes).map(
    ([field, change]) => `${field}: ${changeText(change)}`,
  );
  const isChanged = fields.length > 0;
  return {
    data: { code, changes, changed: isChanged && !registry.isDryRun },
    text: isChanged
      ? `${did('change', registry)} contact ${code}: ${fields.join('; ')}`
      : `nothing to change: contact ${code} already has these values`,
  };
}
