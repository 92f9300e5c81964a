import type { NameRules } from '../../base/env.ts';
import type { RecordProblem } from '../../base/error.ts';
import { codePointOf } from '../../base/text/field.ts';
import type { DomainName } from './name.ts';

/** Returns a problem for each name outside the registry's zones, or with letters outside its table. */
export function findRuleProblems<Name extends Pick<DomainName, 'name'>>(
  names: readonly Name[],
  rules: NameRules,
): RecordProblem<Name>[] {
  return names.flatMap((record) => {
    const fault = ruleFault(record.name, rules);
    if (fault === undefined) return [];
    const message = `${JSON.stringify(record.name)} ${fault}`;
    return [{ reason: 'invalid', message, field: 'name', record }];
  });
}

function ruleFault(name: string, { zones, letters }: NameRules): string | undefined {
  if (zones.length > 0 && !zones.some((zone) => name.endsWith(`.${zone}`))) {
    return `is not in a zone of this registry (${zones.join(', ')})`;
  }
  const foreign = [...name].find(
    (letter) => !/[a-z\d.-]/.test(letter) && !letters.includes(letter),
  );
  if (letters === '' || foreign === undefined) return undefined;
  return `contains “${foreign}” (${codePointOf(foreign)}), and the letters of this registry are a-z and ${letters}`;
}

/** The registry has other zones, or only the name above. */
export type Outside = { zones: readonly string[] } | { above: string };

/** Undefined for a zone, for a name directly below the longest matching zone, and if there are no zones. */
export function findOutside(name: string, zones: readonly string[]): Outside | undefined {
  if (zones.length === 0) return undefined;
  const [zone] = zones
    .filter((zone) => `.${name}`.endsWith(`.${zone}`))
    .sort((a, b) => b.length - a.length);
  if (zone === undefined) return { zones };
  const labels = name.slice(0, -zone.length - 1).split('.');
  return labels.length > 1 ? { above: `${labels.at(-1)}.${zone}` } : undefined;
}
