import { type AnyColumn, and, type SQL, sql } from 'drizzle-orm';
import { nameKey } from '../../base/text/search-key.ts';

const maximumWords = 10;

function wordsOf(text: string): string[] {
  const key = nameKey(text);
  return (key.match(/[^\s\p{P}]+/gu) ?? [key]).slice(0, maximumWords);
}

/** Whether a name contains every word of the text, with accents or without; of many words, the first ten. */
export const hasWords = (name: string, text: string) =>
  wordsOf(text).every((word) => nameKey(name).includes(word));

/** Says the same of the key of a name, in SQL. */
export function keyHasWords(key: AnyColumn, text: string): SQL | undefined {
  return and(...wordsOf(text).map((word) => sql`instr(${key}, ${word}) > 0`));
}
