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

/** Rows in aligned columns, or a note without rows. Default columns: all properties of the first row. */
export function table(
  rows: readonly object[],
  none: string,
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string[] {
  if (rows.length === 0) return [none];
  const names = columns.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const cells = rows.map((row) =>
    columns.map((name) => escaped(fieldText((row as Record<string, unknown>)[name]))),
  );
  const lines = [names, ...cells];
  const widths = names.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, line[column]!.length), 0),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)))
    .map((line) => line.join('  ').trimEnd());
}

export function fieldLines(fields: Record<string, unknown>): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length)) + 2;
  return Object.entries(fields).map(([name, value]) => `${name}:`.padEnd(width) + fieldText(value));
}

export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(', ');
  if (typeof value !== 'object') return String(value);
  const known = Object.entries(value).filter(([, part]) => part !== null);
  return known.map(([name, part]) => `${name}: ${fieldText(part)}`).join('; ');
}

/** `1 name`, `2 names`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
