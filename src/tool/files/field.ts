import * as z from 'zod';
import { RegistryError } from '../../base/error.ts';
import { secretOfName } from '../../name/retained/save.ts';
import type { Column } from './format.ts';

export const nameColumn: Column = {
  note: 'the domain in its Unicode form, lower case, for example õun.ee',
  isRequired: true,
};

export const wordsNote = 'separated by spaces or commas; in NDJSON also an array';

/** The words of a text; any other value, such as a list in NDJSON, is returned as it is. */
export function words(value: unknown): unknown {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((word) => word !== '') : value;
}

/** The text of a field, undefined if it is absent or empty; throws `invalid` if it is not text. */
export function optionalText(values: Record<string, unknown>, field: string): string | undefined {
  return (values[field] ?? '') === '' ? undefined : requiredText(values, field);
}

/** The password of a name; throws `invalid` for one that no registration can give. */
export function optionalPassword(values: Record<string, unknown>): string | undefined {
  return optionalValue(values, 'password', secretOfName());
}

/** The value that a rule makes of the text of a field, undefined if it is absent or empty; throws `invalid`. */
export function optionalValue<Value>(
  values: Record<string, unknown>,
  field: string,
  rule: z.core.$ZodType<Value>,
): Value | undefined {
  const text = optionalText(values, field);
  if (text === undefined) return undefined;
  const { data, error } = z.safeParse(rule, text);
  if (error) throw new RegistryError('invalid', error.issues[0]!.message, field);
  return data;
}

/** The text of a field; throws `missing` if it is absent or empty, `invalid` if it is not text. */
export function requiredText(values: Record<string, unknown>, field: string): string {
  const value = values[field];
  if (value === undefined || value === null || value === '') {
    throw new RegistryError('missing', `${field} is missing`, field);
  }
  if (typeof value === 'string') return value;
  throw new RegistryError('invalid', `${JSON.stringify(value)} is not text`, field);
}
