import { RegistryError } from '../../error.ts';

/** Text of a file's field; throws `missing` where it is absent or empty, `invalid` where it is no text. */
export function textField(values: Record<string, unknown>, field: string): string {
  const value = values[field];
  if (value === undefined || value === null || value === '') {
    throw new RegistryError('missing', `${field} is missing`, field);
  }
  if (typeof value === 'string') return value;
  throw new RegistryError('invalid', `${JSON.stringify(value)} is no text`, field);
}
