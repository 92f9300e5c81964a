import * as z from 'zod/mini';
import { nameRulesOf } from '../../../base/env.ts';
import { throwProblems } from '../../../base/error.ts';
import type { DomainName } from '../../../name/domain/name.ts';
import { findRuleProblems } from '../../../name/domain/rules.ts';
import type { AppContext } from './context.ts';
import { domainNameRule, requestedName } from './input.ts';

/** Can be answered as it was given; an object could be nested without end. */
const scalar = () =>
  z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be an array of names');

/** The body of a call about many names. */
export const bodyOfNames = (maximum: number) =>
  z.object({
    names: z
      .array(scalar(), 'must be an array of names')
      .check(
        z.minLength(1, 'must contain at least one name'),
        z.maxLength(maximum, `must contain at most ${maximum} names`),
      ),
  });

/** What an element of such a body names, or why it is refused. */
export function readName(given: unknown) {
  const { data: domain, error } = domainNameRule().safeParse(given);
  return { given, domain, error: error?.issues[0]?.message };
}

/** The name in the path, which the rules of this registry must allow. Throws `invalid`. */
export function requestedOwnName(c: AppContext): DomainName {
  const name = requestedName(c);
  throwProblems(findRuleProblems([name], nameRulesOf(c.env)));
  return name;
}
