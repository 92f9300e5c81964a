import type { Database } from '../base/database/open.ts';
import { type Env, nameRulesOf } from '../base/env.ts';
import { type Problem, RegistryError, throwProblems } from '../base/error.ts';
import { asciiUpperCase } from '../base/text/ascii-case.ts';
import { findDomainName } from '../name/domain/operator/name.ts';
import { findRuleProblems } from '../name/domain/rules.ts';
import { type DomainName, domainNameOf } from '../name/name.ts';
import type { RetainedStatus } from '../name/retained/list.ts';
import { usageError } from './command.ts';
import { say } from './report/output.ts';

/** Accepts any spelling, and prints the stored one if it differs. */
export async function parseName(db: Database, text: string): Promise<DomainName> {
  return understood(text, await findDomainName(db, text));
}

function understood(text: string, domain: DomainName): DomainName {
  if (domain.name !== text) say(`${text} is understood as ${domain.name}`);
  return domain;
}

/** Refuses a likely identity code as wrong usage. */
export function parseContactKey(text: string): string {
  if (!/^\d{11}$/.test(text)) return asciiUpperCase(text);
  const message = `${text} looks like an identity code, for which there is a list of contacts`;
  throw usageError(message, ['contact', 'list', '--ident', text]);
}

export async function parseNameOrUuid(db: Database, text: string): Promise<string> {
  return text.includes('.') ? (await parseName(db, text)).name : text;
}

/** Drops repetitions. Throws all problems of all names, for the status that they are to have. */
export async function parseNewNames(
  texts: readonly string[],
  env: Env,
  status?: RetainedStatus,
): Promise<DomainName[]> {
  const names = await eachOnce(texts, async (text) => understood(text, domainNameOf(text)));
  const judged = names.map((name) => ({ ...name, status }));
  throwProblems(findRuleProblems(judged, nameRulesOf(env)));
  return names;
}

/** Accepts names of any zone. Throws as `parseNewNames`. */
export function parseNames(db: Database, texts: readonly string[]): Promise<DomainName[]> {
  return eachOnce(texts, (text) => parseName(db, text));
}

async function eachOnce(texts: readonly string[], parse: (text: string) => Promise<DomainName>) {
  const names = new Map<string, DomainName>();
  const problems: Problem[] = [];
  for (const text of texts) {
    try {
      const name = await parse(text);
      names.set(name.name, name);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      problems.push(...error.problems);
    }
  }
  throwProblems(problems);
  return [...names.values()];
}
