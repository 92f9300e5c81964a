/** Rows in columns that line up, under a heading; a note where there is none. */
export function table(heading: string[], rows: (string | number)[][], none: string): string {
  if (rows.length === 0) return none;
  const lines = [heading, ...rows.map((row) => row.map(String))];
  const widths = heading.map((_, column) =>
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

/** `1 name`, `2 names`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
