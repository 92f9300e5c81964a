import { Help } from '@commander-js/extra-typings';

/** Wraps text as the help of a command does, in narrow columns too. */
const help = Object.assign(new Help(), { minWidthToWrap: 1 });

/**
 * Rows in aligned columns, or a note if there are none; without columns, all properties of the first row. Where that is
 * wider than the terminal, each row is shown by its fields instead.
 */
export function table(
  rows: readonly object[],
  none: string,
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
  terminalColumns = process.stdout.columns || Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return none;
  const names = columns.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const cells = rows.map((row) =>
    columns.map((name) => fieldText((row as Record<string, unknown>)[name])),
  );
  const lines = [names, ...cells];
  const widths = lines[0]!.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, line[column]!.length), 0),
  );
  if (widths.reduce((sum, width) => sum + width + 2, -2) > terminalColumns) {
    return cells
      .map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]])))
      .map((fields) => fieldLines(fields, terminalColumns))
      .join('\n\n');
  }
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Fields of one thing, a line each, or more where the terminal is narrow; `-` for null. */
export function fieldLines(
  fields: Record<string, unknown>,
  terminalColumns = process.stdout.columns || Number.POSITIVE_INFINITY,
): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length)) + 2;
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = help.boxWrap(fieldText(value), terminalColumns - width);
      return `${name}:`.padEnd(width) + text.replaceAll('\n', `\n${' '.repeat(width)}`);
    })
    .join('\n');
}

function fieldText(value: unknown): string {
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
