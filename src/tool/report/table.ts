import { printable } from '../../view/text.ts';

/** Rows in aligned columns, or a note without rows. Default columns: all properties of the first row. */
export function table(
  rows: readonly object[],
  none: string,
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string[] {
  if (rows.length === 0) return [none];
  const names = columns.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const cells = rows.map((row) =>
    columns.map((name) => printable(fieldText((row as Record<string, unknown>)[name]))),
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

function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return parts.map(([name, part]) => `${name}: ${fieldText(part)}`).join('; ');
}
