import { validator } from 'hono/validator';
import * as z from 'zod/mini';
import { nameRulesOf } from '../../../base/env.ts';
import { throwProblems } from '../../../base/error.ts';
import { findRuleProblems } from '../../../name/domain/rules.ts';
import type { DomainName } from '../../../name/name.ts';
import type { RetainedStatus } from '../../../name/retained/list.ts';
import type { AppContext } from './context.ts';
import { domainNameRule, requestedName } from './input.ts';

/** A value that a response can repeat. */
const scalar = () =>
  z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be an array of names');

export const bodyOfNames = (maximum: number) =>
  z.object({
    names: z
      .array(scalar(), 'must be an array of names')
      .check(
        z.minLength(1, 'must contain at least one name'),
        z.maxLength(maximum, `must contain at most ${maximum} names`),
      ),
  });

export function readName(given: unknown) {
  const { data: domain, error } = domainNameRule().safeParse(given);
  return { given, domain, error: error?.issues[0]?.message };
}

/** The name in the path. Throws `invalid` for a name against this registry's rules. */
export function requestedOwnName(c: AppContext, status?: RetainedStatus): DomainName {
  const name = requestedName(c);
  throwProblems(findRuleProblems([{ ...name, status }], nameRulesOf(c.env)));
  return name;
}

/** Middleware that reads the name in the path, for calls that judge it before the body. */
export const pathName = validator('param', (_, c: AppContext) => requestedName(c));

export const ownName = (status?: RetainedStatus) =>
  validator('param', (_, c: AppContext) => requestedOwnName(c, status));
