import { type DomainName, nameRefusal, readDomainName } from '../domain/name.ts';
import type { AppContext } from './context.ts';

/** The name in the path, in any spelling. Throws `invalid`. */
export function requestedName(c: AppContext): DomainName {
  const given = (c.req.param('name') ?? '').trim();
  const { domain, fault } = readDomainName(given);
  if (!domain) throw nameRefusal(given, fault);
  return domain;
}
