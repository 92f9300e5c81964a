import { listPaths } from '../public-list/lists.ts';
import { languages } from './site/language.ts';

export type InterfaceName =
  | 'lists'
  | 'registrar'
  | 'registrant'
  | 'auction'
  | 'internal'
  | 'page'
  | 'other';

/** The first matching pattern decides. */
const patterns: [path: RegExp, name: InterfaceName][] = [
  [new RegExp(`^(${listPaths.join('|')}|/log)(/|$)`), 'lists'],
  [/^\/repp(\/|$)/, 'registrar'],
  [/^\/api\/v1\/registrant(\/|$)/, 'registrant'],
  [/^\/api\/v1\/auctions(\/|$)/, 'auction'],
  [/^\/api\/v1\/internal(\/|$)/, 'internal'],
  [new RegExp(`^/($|(${languages.join('|')})(/|$))`), 'page'],
];

export function interfaceOf(path: string): InterfaceName {
  const [, name] = patterns.find(([pattern]) => pattern.test(path)) ?? [];
  return name ?? 'other';
}
