import type { RecordProblem } from '../error.ts';
import type { DomainName } from './name.ts';

/** A problem for each name outside the zones that the registry serves; without zones, none. */
export function findZoneProblems<Name extends Pick<DomainName, 'name'>>(
  names: readonly Name[],
  zones: readonly string[],
): RecordProblem<Name>[] {
  if (zones.length === 0) return [];
  return names
    .filter(({ name }) => !zones.some((zone) => name.endsWith(`.${zone}`)))
    .map((record) => ({
      reason: 'invalid',
      message: `${JSON.stringify(record.name)} is not in a zone of this registry (${zones.join(', ')})`,
      field: 'name',
      record,
    }));
}
