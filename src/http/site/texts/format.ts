/** Groups the digits of a whole number by three, if it has so many. */
export function grouped(count: number, minimumDigits: number, separator: string): string {
  const digits = String(count);
  return digits.length < minimumDigits ? digits : digits.replace(/\B(?=(\d{3})+$)/g, separator);
}

export function dayParts(text: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}

/** Puts commas between the words, and the conjunction before the last. */
export function enumerated(words: readonly string[], conjunction: string): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(` ${conjunction} `);
}
