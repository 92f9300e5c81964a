import { type DomainName, parseDomainName } from '../domain/name.ts';
import { findZoneProblems } from '../domain/zone.ts';
import { type Env, zonesOf } from '../env.ts';
import { type Problem, RegistryError, throwProblems } from '../error.ts';

/** Parses the names of a command line, each once. Throws everything that is wrong with any of them. */
export function parseNames(texts: readonly string[], env: Env): DomainName[] {
  const names = parseAnyNames(texts);
  throwProblems(findZoneProblems(names, zonesOf(env)));
  return names;
}

/** Parses names of any zone, because names that leave the registry may be foreign. */
export function parseAnyNames(texts: readonly string[]): DomainName[] {
  const names = new Map<string, DomainName>();
  const problems: Problem[] = [];
  for (const text of texts) {
    try {
      const name = parseDomainName(text);
      names.set(name.name, name);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      problems.push(...error.problems);
    }
  }
  throwProblems(problems);
  return [...names.values()];
}
