import { type AnyColumn, and, or, type SQL, sql } from 'drizzle-orm';
import { nameKey, storedNameKeys } from '../../base/text/search-key.ts';

const maximumWords = 10;
/** A contact's name is no longer (src/contact/rules.ts). */
const maximumLength = 255;

/** The blanks and signs between words. The triggers of `contactNames` divide names at the same. */
const word = /[^ "'&(),\-./]+/g;

/** At most ten, as keys; none of a text that is longer than a name. */
export function wordsOf(text: string): string[] {
  return text.length > maximumLength ? [] : wordsIn(nameKey(text));
}

/** The words as each key that a name may be stored under has them. */
export function storedWordsOf(text: string): string[][] {
  if (text.length > maximumLength) return [];
  const lists = storedNameKeys(text).map(wordsIn);
  return lists.filter((words) => words.length > 0);
}

/** A text of signs alone is a word. */
function wordsIn(key: string): string[] {
  const words = key.match(word) ?? (key === '' ? [] : [key]);
  return words.slice(0, maximumWords);
}

/** Whether a name contains every word of the text, with accents or without; of many words, the first ten. */
export function hasWords(name: string, text: string): boolean {
  const words = wordsOf(text);
  return words.length > 0 && words.every((word) => nameKey(name).includes(word));
}

/** Says the same of the stored key of a name, in SQL. */
export function keyHasWords(key: AnyColumn, text: string): SQL | undefined {
  const lists = storedWordsOf(text).map((words) =>
    and(...words.map((word) => sql`instr(${key}, ${word}) > 0`)),
  );
  return lists.length > 0 ? or(...lists) : sql`false`;
}

/** Returns the texts with one character more, less or other, or two exchanged, each in the order of its places. */
export function editsOf(text: string, letters: readonly string[]): string[] {
  const characters = [...text];
  return [...characters, ''].flatMap((character, place) => {
    const head = characters.slice(0, place).join('');
    const [next = '', ...rest] = characters.slice(place + 1);
    const end = rest.join('');
    return [
      head + next + end,
      head + next + character + end,
      ...letters.flatMap((other) => [
        head + other + next + end,
        head + other + character + next + end,
      ]),
    ];
  });
}
