import * as z from 'zod';
import { RegistryError } from '../../base/error.ts';
import { secretOfName } from '../../name/retained/save.ts';
import type { Column, Values } from './format.ts';

export const nameColumn: Column = {
  note: 'the domain in its Unicode form, lower case, for example õun.ee',
  isRequired: true,
};

export const wordsNote = 'separated by spaces or commas';

export function optionalText(values: Values, field: string): string | undefined {
  return values[field] || undefined;
}

/** Throws `invalid` for a password that no registration can supply. */
export function optionalPassword(values: Values): string | undefined {
  return optionalValue(values, 'password', secretOfName());
}

/** Undefined if absent or empty. Throws `invalid`. */
export function optionalValue<Value>(
  values: Values,
  field: string,
  rule: z.core.$ZodType<Value>,
): Value | undefined {
  const text = optionalText(values, field);
  if (text === undefined) return undefined;
  const { data, error } = z.safeParse(rule, text);
  if (error) throw new RegistryError('invalid', error.issues[0]!.message, field);
  return data;
}

export function requiredText(values: Values, field: string): string {
  const text = optionalText(values, field);
  if (text === undefined) throw new RegistryError('missing', `${field} is missing`, field);
  return text;
}
