import { type Env, zonesOf } from '../base/env.ts';
import { orRefusal, type Problem, RegistryError, throwProblems } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { type DomainName, domainNameOf } from '../name/domain/name.ts';
import { findZoneProblems } from '../name/domain/zone.ts';
import { commandLine, usageError } from './command.ts';

/** Reads a name of a command line in any spelling, and says how it understands one that is not spelt as it is kept. */
export function parseName(text: string): DomainName {
  const domain = domainNameOf(text);
  if (domain.name !== text) console.error(`${text} is understood as ${domain.name}`);
  return domain;
}

/** Reads a contact's code or UUID. Refuses what looks like a person's identity code as wrong usage. */
export function parseContactKey(text: string): string {
  if (!/^\d{11}$/.test(text)) return asciiUpperCase(text);
  const list = commandLine(['contact', 'list', '--ident', text]);
  throw usageError(`${text} looks like an identity code; to find its contacts: ${list}`);
}

export function parseNameOrUuid(text: string): string {
  return text.includes('.') ? parseName(text).name : text;
}

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
    const name = orRefusal(() => parseName(text));
    if (name instanceof RegistryError) problems.push(...name.problems);
    else names.set(name.name, name);
  }
  throwProblems(problems);
  return [...names.values()];
}
