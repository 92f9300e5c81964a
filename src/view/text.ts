/** Lines for people. A line break within a line belongs to a value. */
export type Lines = string | readonly Lines[];

export function linesOf(text: Lines): string[] {
  return typeof text === 'string' ? [text] : text.flatMap(linesOf);
}

/**
 * Escapes characters by which a value could start a line, move the cursor, or hide or reverse a part of itself. All output for people passes
 * here.
 */
export function printable(text: Lines): string {
  return linesOf(text).map(escaped).join('\n');
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const numberOf = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;

const escaped = (line: string) =>
  line.replace(hidden, (character) => (character === '\n' ? '\\n' : numberOf(character)));

/** Shows by number every character that cannot be seen. Keeps line breaks. All of the desk's HTML passes here. */
export const visible = (text: string) =>
  text.replace(hidden, (character) => (character === '\n' ? character : numberOf(character)));

/** What is left of text that was pasted into a field of the page. */
export const withoutHidden = (text: string) => text.replace(hidden, '');

/** `1 name`, `2 names`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
