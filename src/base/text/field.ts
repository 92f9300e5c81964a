import * as z from 'zod/mini';
import { nfc } from './nfc.ts';

/** Blank counts as missing for a required field. */
export function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

/** As text is stored; undefined if it certainly has more than `limit` characters. */
export function plainText(given: string, limit: number): string | undefined {
  return nfc(given.trim(), limit);
}

/** Not a space, not a format character, and not one that Unicode lets fonts leave out. */
const visible = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

const forms = new WeakMap<z.core.$ZodType, string>();

/** Notes which form a rule expects, for its refusals and the document. */
export function expecting<Rule extends z.core.$ZodType>(form: string, rule: Rule): Rule {
  forms.set(rule, form);
  return rule;
}

/** The form that a rule expects; undefined if nobody has noted it and its type does not say it. */
export function expectedForm(rule: z.core.$ZodType): string | undefined {
  if (forms.has(rule)) return forms.get(rule);
  if (rule instanceof z.ZodMiniEnum) return `one of ${rule.options.join(', ')}`;
  if (rule instanceof z.ZodMiniLiteral) return rule.def.values.join(', ');
  if (rule instanceof z.ZodMiniArray) {
    const each = expectedForm(rule.def.element);
    return each && `a list, each ${each}`;
  }
  if (rule instanceof z.ZodMiniPipe) return expectedForm(rule.def.in) ?? expectedForm(rule.def.out);
  const { innerType } = rule._zod.def as Partial<z.core.$ZodOptionalDef>;
  return innerType && expectedForm(innerType);
}

/** The sentence about a value that the rule refuses. */
export function expectedSentence(rule: z.core.$ZodType): string | undefined {
  const form = expectedForm(rule);
  return form && `Expected: ${form}.`;
}

/**
 * Trimmed, NFC, at most `limit` characters, with at least one visible character, and without control characters or lone
 * surrogates. The limits stand on the string as well, where the OpenAPI document finds them.
 */
export function textField(
  message: string,
  limit: number,
  accepts: RegExp | ((value: string) => boolean) = () => true,
  form = `text of 1 to ${limit} characters`,
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
  return expecting(form, z.pipe(z.string(message).check(limits), stored));
}

/** Leaving the field out keeps its value; null or the empty string clears it. */
export function clearable<Field extends z.ZodMiniType>(field: Field) {
  const blankIsNull = z.transform((value: unknown) => (isBlank(value) ? null : value));
  return z.optional(z.pipe(blankIsNull, z.nullable(field))) as z.ZodMiniType<
    z.output<Field> | null | undefined
  >;
}
