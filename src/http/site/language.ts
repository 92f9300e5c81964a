import { weightsOf } from '../accept.ts';
import type { AppContext } from '../context.ts';

/** The languages of the page; the first is the registry's own. */
export const languages = ['et', 'en'] as const;
export type Language = (typeof languages)[number];

/** The language that a path names, if any. */
export function languageOf(path: string): Language | undefined {
  return languages.find((language) => path === `/${language}` || path.startsWith(`/${language}/`));
}

/** The language that the client prefers (RFC 9110, section 12.5.4); the registry's own unless it is another. */
export function preferredLanguage(c: AppContext): Language {
  const weights = [...weightsOf(c.req.header('Accept-Language'))];
  const weight = (language: string) =>
    Math.max(0, ...weights.flatMap(([range, at]) => (range.split('-')[0] === language ? at : [])));
  return weight('en') > weight('et') ? 'en' : 'et';
}
