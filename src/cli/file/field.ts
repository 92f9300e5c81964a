import { RegistryError } from '../../error.ts';
import type { Column } from './read.ts';

/** The column of a domain's name, which `parseDomainName` reads. */
export const nameColumn: Column = {
  note: 'the domain in its Unicode form, lower case, as õun.ee',
  isRequired: true,
};

/** How the help of a column tells of `words`. */
export const wordsNote = 'separated by spaces or commas; in NDJSON a list of texts, too';

/** The words of a text; what is no text, as a list in NDJSON, is left as it is. */
export function words(value: unknown): unknown {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((word) => word !== '') : value;
}

/** Text of a file's field; throws `missing` where it is absent or empty, `invalid` where it is no text. */
export function textField(values: Record<string, unknown>, field: string): string {
  const value = values[field];
  if (value === undefined || value === null || value === '') {
    throw new RegistryError('missing', `${field} is missing`, field);
  }
  if (typeof value === 'string') return value;
  throw new RegistryError('invalid', `${JSON.stringify(value)} is no text`, field);
}
