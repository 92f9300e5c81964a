import stringWidth from 'string-width';
import { printable } from '../../view/text.ts';

/** As a terminal shows it: some characters take two columns, others none. */
const padEnd = (text: string, width: number) => text + ' '.repeat(width - stringWidth(text));

const widest = (texts: readonly string[]) =>
  texts.reduce((width, text) => Math.max(width, stringWidth(text)), 0);

/**
 * Rows in aligned columns, or a note without rows. In a terminal that is narrower, each row is lines of fields. Default columns: all properties
 * of the first row.
 */
export function table(
  rows: readonly object[],
  none: string,
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
  terminalWidth = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string[] {
  if (rows.length === 0) return [none];
  const names = columns.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const cells = rows.map((row) =>
    columns.map((name) => printable(fieldText((row as Record<string, unknown>)[name]))),
  );
  const lines = [names, ...cells];
  const widths = names.map((_, column) => widest(lines.map((line) => line[column]!)));
  const aligned = lines.map((line) =>
    line
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  if (widest(aligned) <= terminalWidth) return aligned;
  const width = widest(names) + 2;
  return cells.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => (cell === '-' ? [] : [padEnd(names[column]!, width) + cell])),
  ]);
}

export function fieldLines(fields: Record<string, unknown>): string[] {
  const width = widest(Object.keys(fields)) + 2;
  return Object.entries(fields).map(
    ([name, value]) => padEnd(`${name}:`, width) + fieldText(value),
  );
}

function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return parts.map(([name, part]) => `${name}: ${fieldText(part)}`).join('; ');
}
