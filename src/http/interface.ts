import { listPaths } from '../public-list/lists.ts';

export type InterfaceName = 'lists' | 'registrar' | 'registrant' | 'auction' | 'other';

/** The first pattern that a path matches says to which interface it belongs. */
const patterns: [path: RegExp, name: InterfaceName][] = [
  [new RegExp(`^(${listPaths.join('|')})(/|$)`), 'lists'],
  [/^\/repp(\/|$)/, 'registrar'],
  [/^\/api\/v1\/registrant(\/|$)/, 'registrant'],
  [/^\/api\/v1\/auctions(\/|$)/, 'auction'],
];

export function interfaceOf(path: string): InterfaceName {
  const [, name] = patterns.find(([pattern]) => pattern.test(path)) ?? [];
  return name ?? 'other';
}
