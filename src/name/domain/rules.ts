import type { NameRules } from '../../base/env.ts';
import type { RecordProblem } from '../../base/error.ts';
import { codePointOf } from '../../base/text/field.ts';
import type { DomainName } from '../name.ts';

type JudgedName = Pick<DomainName, 'name'> & { status?: string | undefined };

/**
 * Returns a problem for each name that is not one of the registry, or has letters outside its table. A zone inside
 * another zone may be blocked.
 */
export function findRuleProblems<Name extends JudgedName>(
  names: readonly Name[],
  rules: NameRules,
): RecordProblem<Name>[] {
  return names.flatMap((record) => {
    const outside = zoneFault(record, rules.zones);
    const fault = outside ?? letterFault(record.name, rules.letters);
    if (fault === undefined) return [];
    const obstacle = outside ? 'outside_zones' : 'letter_not_allowed';
    const message = `${JSON.stringify(record.name)} ${fault}`;
    return [{ reason: 'invalid', message, field: 'name', obstacle, record }];
  });
}

function zoneFault({ name, status }: JudgedName, zones: NameRules['zones']): string | undefined {
  const outside = findOutside(name, zones);
  const mayBlock = status === 'blocked' && zones.some((zone) => name.endsWith(`.${zone}`));
  if (!outside || ('isZone' in outside && mayBlock)) return undefined;
  if ('isZone' in outside) return 'is a zone of this registry';
  if ('above' in outside) return `belongs to ${JSON.stringify(outside.above)}`;
  return `is not in a zone of this registry (${zones.join(', ')})`;
}

function letterFault(name: string, letters: string): string | undefined {
  const foreign = [...name].find(
    (letter) => !/[a-z\d.-]/.test(letter) && !letters.includes(letter),
  );
  if (letters === '' || foreign === undefined) return undefined;
  return `contains “${foreign}” (${codePointOf(foreign)}), and the letters of this registry are a-z and ${letters}`;
}

/** The registry has other zones, or only the name above, or the name is one of its zones. */
export type Outside = { zones: readonly string[] } | { above: string } | { isZone: true };

/** Undefined for a name directly below the longest matching zone, and if there are no zones. */
export function findOutside(name: string, zones: readonly string[]): Outside | undefined {
  if (zones.length === 0) return undefined;
  if (zones.includes(name)) return { isZone: true };
  const [zone] = zones
    .filter((zone) => name.endsWith(`.${zone}`))
    .sort((a, b) => b.length - a.length);
  if (zone === undefined) return { zones };
  const labels = name.slice(0, -zone.length - 1).split('.');
  return labels.length > 1 ? { above: `${labels.at(-1)}.${zone}` } : undefined;
}
