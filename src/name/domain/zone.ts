import type { RecordProblem } from '../../base/error.ts';
import type { DomainName } from './name.ts';

/** A problem for each name outside the zones; none if there are no zones. */
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

/** Why the registry cannot have a name: it has other zones, or only the name above. */
export type Outside = { zones: readonly string[] } | { above: string };

/** Undefined for a name that is a zone or directly below the longest of them, and for any name if there are no zones. */
export function findOutside(name: string, zones: readonly string[]): Outside | undefined {
  if (zones.length === 0) return undefined;
  const [zone] = zones
    .filter((zone) => `.${name}`.endsWith(`.${zone}`))
    .sort((one, other) => other.length - one.length);
  if (zone === undefined) return { zones };
  const labels = name.slice(0, -zone.length - 1).split('.');
  return labels.length > 1 ? { above: `${labels.at(-1)}.${zone}` } : undefined;
}
