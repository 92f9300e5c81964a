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

function escaped(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** `1 name`, `2 names`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
