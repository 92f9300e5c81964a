import * as z from 'zod/mini';
import { nfc } from './nfc.ts';

/** Blank counts as missing for a required field. */
export function isBlank(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

/** Returns the text as it is stored; undefined if it certainly exceeds `limit` characters. */
export function storedText(text: string, limit: number): string | undefined {
  return nfc(text.trim(), limit);
}

/** No space, no format character, and none that Unicode lets fonts omit. */
const visible = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What a rule expects, in words such as "at most 64 characters". */
const expectations = new WeakMap<z.core.$ZodType, string>();

/** Records what a rule expects, for its refusals and the document. */
export function expecting<Rule extends z.core.$ZodType>(expected: string, rule: Rule): Rule {
  expectations.set(rule, expected);
  return rule;
}

/** Undefined if neither a record nor the type says it. */
export function expectation(rule: z.core.$ZodType): string | undefined {
  if (expectations.has(rule)) return expectations.get(rule);
  if (rule instanceof z.ZodMiniEnum) return `one of ${rule.options.join(', ')}`;
  if (rule instanceof z.ZodMiniLiteral) return `the JSON value ${rule.def.values.join(', ')}`;
  if (rule instanceof z.ZodMiniArray) {
    const item = expectation(rule.def.element);
    return item && `a list, each ${item}`;
  }
  if (rule instanceof z.ZodMiniPipe) return expectation(rule.def.in) ?? expectation(rule.def.out);
  const { innerType } = rule._zod.def as Partial<z.core.$ZodOptionalDef>;
  return innerType && expectation(innerType);
}

/** Returns the sentence about a refused value; undefined if the message names the cause. */
export function expectedSentence(
  rule: z.core.$ZodType,
  issue?: z.core.$ZodIssue,
): string | undefined {
  const { params } = (issue ?? {}) as Partial<z.core.$ZodIssueCustom>;
  const expected = expectation(rule);
  return expected && !params?.brief ? `Expected: ${expected}.` : undefined;
}

/** What no new text may contain: also what turns the order of other characters round (UAX 9, sections 2.1 to 2.5). */
const control = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const invisible = /(?! )[\p{Cc}\p{Cs}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Names the invisible character of a refused text, in words that follow a name; undefined if there is none. */
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

/** The spreadsheet's form of a long number, of text that begins with = or -, and of a narrow column. */
const spoiled = /^(-?\d([.,]\d+)?E[+-]\d{2,3}|#{2,}|#[\p{Lu}\d/¡¿]+[!?]|#N\/[AD]|#NV|Err:\d+)$/u;

/** Names the cause if a spreadsheet changed the value, in words that follow a name. */
export function spoiledBy(text: string): string | undefined {
  return spoiled.test(text.trim()) ? 'was spoiled by a spreadsheet' : undefined;
}

/** Without what is refused for itself. */
const isLonger = (text: string, limit: number) =>
  Array.from(text.replace(new RegExp(control, 'gu'), '')).length > limit;

/**
 * Trimmed, NFC, at most `limit` characters, at least one visible, and no control characters or lone surrogates. The
 * string has the limits too, for the OpenAPI document. A refusal names a length that is wrong, an invisible character,
 * or the cause that `accepts` returns.
 */
export function textField(
  message: string,
  limit: number,
  accepts: RegExp | ((value: string) => boolean | string) = () => true,
  form?: string,
) {
  const expected = form ?? `text of 1 to ${limit} characters`;
  const pattern = accepts instanceof RegExp ? { pattern: accepts.source } : {};
  const judge = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts;
  const limits = z.meta({ minLength: 1, maxLength: limit, ...pattern });
  const stored = z.transform((text: string, { issues }) => {
    const value = storedText(text, limit);
    const isLong = isLonger(value ?? text.trim(), limit);
    const isClean = value !== undefined && !isLong && visible.test(value) && !control.test(value);
    const verdict = isClean && judge(value);
    if (verdict === true) return value;
    // Some messages name it.
    const isNamed = message.includes(` ${limit} characters`);
    const length = isNamed ? undefined : `has more than ${limit} characters`;
    const cause = isLong ? length : verdict || unseenIn(text.trim());
    const sentence = `It ${cause}.`;
    const all = form ? `Expected: ${form}. ${sentence}` : `Expected: ${expected}.`;
    issues.push({
      code: 'custom',
      message: cause ? `${message}: ${cause}` : message,
      input: text,
      ...(cause && { params: { brief: message, detail: isLong ? all : sentence } }),
    });
    return z.NEVER;
  });
  return expecting(expected, z.pipe(z.string(message).check(limits), stored));
}

/** An absent field keeps its value. Null or the empty string clears it. */
export function clearable<Field extends z.ZodMiniType>(field: Field) {
  const blankIsNull = z.transform((value: unknown) => (isBlank(value) ? null : value));
  return z.optional(z.pipe(blankIsNull, z.nullable(field))) as z.ZodMiniType<
    z.output<Field> | null | undefined
  >;
}
