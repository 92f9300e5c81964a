import { listPaths } from '../../../list/lists.ts';
import { languages } from './language.ts';

/** The first matching pattern decides. */
const patterns = [
  [new RegExp(`^(${listPaths.join('|')}|/log)(/|$)`), 'lists'],
  [/^\/repp(\/|$)/, 'registrar'],
  [/^\/api\/v1\/registrant(\/|$)/, 'registrant'],
  [/^\/api\/v1\/auctions(\/|$)/, 'auction'],
  [/^\/api\/v1\/internal(\/|$)/, 'internal'],
  [new RegExp(`^/($|(${languages.join('|')})(/|$))`), 'page'],
] as const;

export type InterfaceName = (typeof patterns)[number][1] | 'other';

export function interfaceOf(path: string): InterfaceName {
  const [, name] = patterns.find(([pattern]) => pattern.test(path)) ?? [];
  return name ?? 'other';
}
