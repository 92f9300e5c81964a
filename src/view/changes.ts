import type { FieldChange } from '../../drizzle/schema.ts';
import { type Changes, changesRepresentation } from '../change/history/changes.ts';

/** With --json, `identity` names the thing. */
export function reportOfChange(
  { did }: { did: (verb: string) => string },
  thing: string,
  recorded: Changes,
  identity: Record<string, unknown> = {},
) {
  const text = changeTexts(recorded).join('; ');
  return {
    data: { ...identity, changes: changesRepresentation(recorded), changed: text !== '' },
    text:
      text === ''
        ? `nothing to change: ${thing} already has these values`
        : `${did('change')} ${thing}: ${text}`,
  };
}

/** The values that the history has. */
export function valuesBefore(changes: Changes): Record<string, unknown> {
  const values = Object.entries(changes).flatMap(([field, change]) =>
    'from' in change ? [[field, change.from]] : [],
  );
  return Object.fromEntries(values);
}

export function changeTexts(recorded: Changes): string[] {
  return Object.entries(changesRepresentation(recorded)).map(
    ([field, change]) => `${field}: ${changeText(change)}`,
  );
}

function changeText(change: FieldChange): string {
  if ('redacted' in change) return 'changed (not shown)';
  if ('removed' in change) return 'changed (values removed)';
  const { from, to } = change;
  return `${JSON.stringify(from)} to ${JSON.stringify(to)}`;
}
