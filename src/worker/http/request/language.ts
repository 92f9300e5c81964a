import { weightsOf } from './accept.ts';
import type { AppContext } from './context.ts';

/** The registry's own language comes first. */
export const languages = ['et', 'en'] as const;
export type Language = (typeof languages)[number];

export function languageOf(path: string): Language | undefined {
  return languages.find((language) => path === `/${language}` || path.startsWith(`/${language}/`));
}

/**
 * RFC 9110, section 12.5.4. The registry's own language if it is asked for before English, or nothing is asked for. Else English, which more
 * visitors from abroad read.
 */
export function preferredLanguage(c: AppContext): Language {
  const asked = c.req.header('Accept-Language')?.trim();
  if (!asked) return 'et';
  const ranges = [...weightsOf(asked)].filter(([, weight]) => weight > 0);
  const preferred = ranges.toSorted(([, one], [, other]) => other - one);
  const known = preferred.map(([range]) => languages.find((each) => range.split('-')[0] === each));
  return known.find((language) => language !== undefined) ?? 'en';
}
