/** Rows in aligned columns, each from a property of the row or made of it, or a note if there are none. */
export function table<Row extends object>(
  rows: readonly Row[],
  none: string,
  columns: Record<string, keyof Row | ((row: Row) => unknown)>,
): string {
  if (rows.length === 0) return none;
  const cells = rows.map((row) =>
    Object.values(columns).map((column) =>
      fieldText(typeof column === 'function' ? column(row) : row[column]),
    ),
  );
  const lines = [Object.keys(columns), ...cells];
  const widths = lines[0]!.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, line[column]!.length), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Fields of one thing, a line each; `-` for null. */
export function fieldLines(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length)) + 2;
  return Object.entries(fields)
    .map(([name, value]) => `${`${name}:`.padEnd(width)}${fieldText(value)}`)
    .join('\n');
}

function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `1 name`, `2 names`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
