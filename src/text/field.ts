import * as z from 'zod/mini';
import { nfc } from './nfc.ts';

/** Absent, null or only white space: for a required field, the same as not given. */
export function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

/** Text as it is stored; undefined if it has more than `limit` characters for certain. */
export function plainText(given: string, limit: number): string | undefined {
  return nfc(given.trim(), limit);
}

/** A visible character: not a space, not a format character, and not one that Unicode lets fonts leave out. */
const visible = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Text: trimmed, NFC, at most `limit` characters, with at least one visible character, and without control characters
 * or lone surrogates. The limits stand on the string as well, where the document of the interfaces finds them.
 */
export function textField(
  message: string,
  limit: number,
  accepts: RegExp | ((value: string) => boolean) = () => true,
) {
  const pattern = accepts instanceof RegExp ? { pattern: accepts.source } : {};
  const isAccepted = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts;
  const limits = z.meta({ minLength: 1, maxLength: limit, ...pattern });
  const stored = z.transform((given: string, { issues }) => {
    const value = plainText(given, limit);
    const isClean =
      value !== undefined &&
      visible.test(value) &&
      Array.from(value).length <= limit &&
      !/[\p{Cc}\p{Cs}]/u.test(value);
    if (isClean && isAccepted(value)) return value;
    issues.push({ code: 'custom', message, input: given });
    return z.NEVER;
  });
  return z.pipe(z.string(message).check(limits), stored);
}

/** The field may be left out, which keeps its value, or cleared with null or the empty string. */
export function clearable<Field extends z.ZodMiniType>(field: Field) {
  const blankIsNull = z.transform((value: unknown) => (isBlank(value) ? null : value));
  return z.optional(z.pipe(blankIsNull, z.nullable(field))) as z.ZodMiniType<
    z.output<Field> | null | undefined
  >;
}
