import { onFirstUse } from '../../../../base/on-first-use.ts';
import { type NameStatus, publicLists, retainedList } from '../../../../list/lists.ts';

/** Days are in UTC. */
export function dayFormat(language: string, options: Intl.DateTimeFormatOptions) {
  const format = onFirstUse(
    () => new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }),
  );
  return (day: string) => format().format(new Date(day));
}

/** Commas separate the words, and the conjunction comes before the last. */
export function joinWords(words: readonly string[], conjunction: string): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(` ${conjunction} `);
}

export function numbersOf(language: string) {
  const number = (count: number) => count.toLocaleString(language);
  const countText = (one: string, many: string) => (count: number) =>
    `${number(count)} ${count === 1 ? one : many}`;
  const month = dayFormat(language, { month: 'long', year: 'numeric' });
  return { number, countText, month };
}

export function statesIn(states: Record<NameStatus, string>, conjunction: string) {
  const retained = publicLists[retainedList].entries.map((status) => states[status]);
  return {
    anyState: joinWords(Object.values(states), conjunction),
    retainedStates: joinWords(retained, conjunction),
  };
}
