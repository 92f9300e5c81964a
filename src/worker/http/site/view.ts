import { unitsPerCharacter } from '../../../base/text/nfc.ts';
import type { Language } from '../request/language.ts';

export const sorts = ['name', '-name', 'length', '-length'] as const;
export type Sort = (typeof sorts)[number];

const defaults = {
  name: '',
  /** A past day, on which the name's status may have differed. */
  as_of: '',
  auctions: '',
  sort: 'name' as Sort,
  page: 1,
  starts: '',
  after: '',
};

export type View = typeof defaults;

export const viewParameters = Object.keys(defaults) as (keyof View)[];

/** The first of a repeated parameter counts. A value that makes no sense is ignored. */
export function readView(parameters: URLSearchParams): View {
  const text = (name: keyof View) => cleanText(parameters.get(name) ?? '');
  const lowerCase = (name: keyof View) => text(name).toLowerCase();
  const page = Number(text('page'));
  const sort = text('sort');
  return {
    name: text('name'),
    as_of: text('as_of'),
    auctions: lowerCase('auctions'),
    sort: sorts.find((known) => known === sort) ?? defaults.sort,
    page: Number.isSafeInteger(page) && page > 0 ? page : defaults.page,
    starts: lowerCase('starts'),
    after: lowerCase('after'),
  };
}

/** In code units. Longer than any domain name, so that cutting never makes another name. */
export const maximumLength = 2 * 253;

/** Returns NFC. Makes characters visible that would change how the text is shown. No name contains them. */
function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
    .trim()
    .slice(0, unitsPerCharacter * maximumLength)
    .normalize('NFC')
    .slice(0, maximumLength)
    .toWellFormed();
}

export function hrefOf(language: Language, view: Partial<View>, section = ''): string {
  const query = viewParameters.flatMap((name) => {
    const value = view[name] ?? defaults[name];
    return value === defaults[name] ? [] : `${name}=${encodeURIComponent(value)}`;
  });
  return `/${language}/${query.length > 0 ? `?${query.join('&')}` : ''}${section && `#${section}`}`;
}
