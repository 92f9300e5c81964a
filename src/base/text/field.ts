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

/** What a rule expects, in words such as "at most 64 characters". */
const expectations = new WeakMap<z.core.$ZodType, string>();

/** Notes what a rule expects, for its refusals and the document. */
export function expecting<Rule extends z.core.$ZodType>(expected: string, rule: Rule): Rule {
  expectations.set(rule, expected);
  return rule;
}

/** What a rule expects, in words; undefined if nobody has noted it and its type does not say it. */
export function expectation(rule: z.core.$ZodType): string | undefined {
  if (expectations.has(rule)) return expectations.get(rule);
  if (rule instanceof z.ZodMiniEnum) return `one of ${rule.options.join(', ')}`;
  if (rule instanceof z.ZodMiniLiteral) return `the JSON value ${rule.def.values.join(', ')}`;
  if (rule instanceof z.ZodMiniArray) {
    const each = expectation(rule.def.element);
    return each && `a list, each ${each}`;
  }
  if (rule instanceof z.ZodMiniPipe) return expectation(rule.def.in) ?? expectation(rule.def.out);
  const { innerType } = rule._zod.def as Partial<z.core.$ZodOptionalDef>;
  return innerType && expectation(innerType);
}

/** The sentence about a value that the rule refuses; undefined if the message names the cause. */
export function expectedSentence(
  rule: z.core.$ZodType,
  issue?: z.core.$ZodIssue,
): string | undefined {
  const { params } = (issue ?? {}) as Partial<z.core.$ZodIssueCustom>;
  const expected = expectation(rule);
  return expected && !params?.brief ? `Expected: ${expected}.` : undefined;
}

const control = /[\p{Cc}\p{Cs}]/u;
const invisible = /(?! )[\p{Cc}\p{Cs}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What a refused text contains and nobody sees, in words that follow a name; undefined if everything can be seen. */
export function unseenIn(text: string): string | undefined {
  const [character] = control.exec(text) ?? invisible.exec(text) ?? [];
  if (character === undefined) return undefined;
  if (/[\n\v\f\r\u0085\u2028\u2029]/.test(character)) return 'contains a line break';
  return `contains an invisible character (${codePointOf(character)})`;
}

/** `U+00AD` */
export function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What a spreadsheet makes of a long number, of text that begins with = or -, and of a column that is too narrow. */
const spoiled = /^(-?\d([.,]\d+)?E[+-]\d{2,3}|#{2,}|#[\p{Lu}\d/¡¿]+[!?]|#N\/[AD]|#NV|Err:\d+)$/u;

/** Why a value is certainly not what somebody has entered, in words that follow a name. */
export function spoiledBy(text: string): string | undefined {
  return spoiled.test(text.trim()) ? 'was spoiled by a spreadsheet' : undefined;
}

/**
 * Trimmed, NFC, at most `limit` characters, with at least one visible character, and without control characters or lone
 * surrogates. The limits stand on the string as well, where the OpenAPI document finds them. A refusal names what nobody
 * sees in the text, and the cause that `accepts` returns.
 */
export function textField(
  message: string,
  limit: number,
  accepts: RegExp | ((value: string) => boolean | string) = () => true,
  expected = `text of 1 to ${limit} characters`,
) {
  const pattern = accepts instanceof RegExp ? { pattern: accepts.source } : {};
  const judge = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts;
  const limits = z.meta({ minLength: 1, maxLength: limit, ...pattern });
  const stored = z.transform((given: string, { issues }) => {
    const value = plainText(given, limit);
    const isClean =
      value !== undefined &&
      visible.test(value) &&
      Array.from(value).length <= limit &&
      !control.test(value);
    const verdict = isClean && judge(value);
    if (verdict === true) return value;
    // Longer text is refused for its length, which everybody sees.
    const isShort = Array.from(given.replace(new RegExp(invisible, 'gu'), '')).length <= limit;
    const cause = verdict || (isShort && unseenIn(given.trim()));
    issues.push({
      code: 'custom',
      message: cause ? `${message}: ${cause}` : message,
      input: given,
      ...(cause && { params: { brief: message, detail: `It ${cause}.` } }),
    });
    return z.NEVER;
  });
  return expecting(expected, z.pipe(z.string(message).check(limits), stored));
}

/** Leaving the field out keeps its value; null or the empty string clears it. */
export function clearable<Field extends z.ZodMiniType>(field: Field) {
  const blankIsNull = z.transform((value: unknown) => (isBlank(value) ? null : value));
  return z.optional(z.pipe(blankIsNull, z.nullable(field))) as z.ZodMiniType<
    z.output<Field> | null | undefined
  >;
}
