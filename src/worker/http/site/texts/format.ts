import { onFirstUse } from '../../../../base/on-first-use.ts';

/** Days are in UTC. */
export function dayFormat(language: string, options: Intl.DateTimeFormatOptions) {
  const format = onFirstUse(
    () => new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }),
  );
  return (day: string) => format().format(new Date(day));
}

/** Commas separate the words, and the conjunction comes before the last. */
export function enumerated(words: readonly string[], conjunction: string): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(` ${conjunction} `);
}
