import * as z from 'zod/mini';
import { orRefusal, RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { type DomainName, domainNameOf } from '../../../name/domain/name.ts';
import type { AppContext } from './context.ts';

/** The name in the path, in any spelling. Throws `invalid`. */
export function requestedName(c: AppContext): DomainName {
  return domainNameOf(c.req.param('name') ?? '');
}

/** A name in a body, in any spelling. */
export const domainNameRule = onFirstUse(() =>
  z.pipe(
    z.string('is not a domain name').check(z.meta({ minLength: 1, maxLength: 253 })),
    z.transform((given, { issues }) => {
      const name = orRefusal(() => domainNameOf(given));
      if (!(name instanceof RegistryError)) return name;
      issues.push({ code: 'custom', message: name.message, input: given });
      return z.NEVER;
    }),
  ),
);
