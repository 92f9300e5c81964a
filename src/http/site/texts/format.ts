/** A whole number with its digits in groups of three, if it has so many digits. */
export function grouped(count: number, minimumDigits: number, separator: string): string {
  const digits = String(count);
  return digits.length < minimumDigits ? digits : digits.replace(/\B(?=(\d{3})+$)/g, separator);
}

/** Year, month and day of `YYYY-MM-DD`. */
export function dayParts(text: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}

/** The words as a sentence has them, with the conjunction before the last. */
export function enumerated(words: readonly string[], conjunction: string): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(` ${conjunction} `);
}
