import { weightsOf } from './accept.ts';
import type { AppContext } from './context.ts';

/** The registry's own language comes first. */
export const languages = ['et', 'en'] as const;
export type Language = (typeof languages)[number];

export function languageOf(path: string): Language | undefined {
  return languages.find((language) => path === `/${language}` || path.startsWith(`/${language}/`));
}

/** RFC 9110, section 12.5.4. The registry's own language, unless the client prefers another. */
export function preferredLanguage(c: AppContext): Language {
  const weights = [...weightsOf(c.req.header('Accept-Language'))];
  const weight = (language: string) =>
    Math.max(0, ...weights.flatMap(([range, at]) => (range.split('-')[0] === language ? at : [])));
  return weight('en') > weight('et') ? 'en' : 'et';
}
