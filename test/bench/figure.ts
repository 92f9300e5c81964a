/** One measured figure, beside what it has to reach. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Null for one that is stated and nothing more. */
  target: string | null;
  met: boolean | null;
}

export function atLeast(name: string, value: number, unit: string, target: number): Figure {
  return { name, value: rounded(value), unit, target: `≥ ${target}`, met: value >= target };
}

export function atMost(name: string, value: number, unit: string, target: number): Figure {
  return { name, value: rounded(value), unit, target: `≤ ${target}`, met: value <= target };
}

export function stated(name: string, value: number, unit: string): Figure {
  return { name, value: rounded(value), unit, target: null, met: null };
}

/** Three digits say all that a measurement knows; a count is whole and stays so. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3));
}

/** A Markdown table, ready for the README. */
export function table(figures: readonly Figure[]): string {
  const lines = figures.map(({ name, value, unit, target, met }) => [
    name,
    `${value.toLocaleString('en')}${unit === '' ? '' : ` ${unit}`}`,
    target ?? 'stated',
    met === null ? '' : met ? 'yes' : '**no**',
  ]);
  return [['What', 'Measured', 'Own target', 'Met'], ['---', '--:', '--:', ':-:'], ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
