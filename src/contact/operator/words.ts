import { type AnyColumn, and, type SQL, sql } from 'drizzle-orm';
import { searchKey } from '../../base/text/search-key.ts';

/**
 * Letters that are looked for alike, in upper case, each after the one without an accent. They may be no more than
 * this: for a word with all of them, SQLite nests a call for each, and D1 takes expressions a hundred deep.
 */
const alike =
  'AÀÁÂÃÄÅĀĂĄ CÇĆĈĊČ DĎĐ EÈÉÊËĒĔĖĘĚ GĜĞĠĢ IÌÍÎÏĨĪĬĮİ KĶ LĹĻĽŁ NÑŃŅŇ OÒÓÔÕÖØŌŎŐ RŔŖŘ SŚŜŞŠȘ TŢŤȚ UÙÚÛÜŨŪŬŮŰŲ YÝŸ ZŹŻŽ ЕЁ ИЙ';

const plainOf = new Map(
  alike.split(' ').flatMap(([plain = '', ...accented]) => accented.map((one) => [one, plain])),
);

const maximumWords = 10;

/** Returns upper case. */
const withoutAccents = (text: string) =>
  Array.from(searchKey(text), (letter) => plainOf.get(letter) ?? letter).join('');

function wordsOf(text: string): string[] {
  const plain = withoutAccents(text);
  return (plain.match(/[^\s\p{P}]+/gu) ?? [plain]).slice(0, maximumWords);
}

/** Whether a name contains every word of the text, with accents or without; of many words, the first ten. */
export const hasWords = (name: string, text: string) =>
  wordsOf(text).every((word) => withoutAccents(name).includes(word));

/** Says the same of the search key of a name, in SQL. */
export function keyHasWords(key: AnyColumn, text: string): SQL | undefined {
  const isThere = wordsOf(text).map((word) => {
    const accents = [...plainOf].filter(([, plain]) => word.includes(plain));
    const plain = accents.reduce(
      (plain, [accented, letter]) =>
        sql`replace(${plain}, '${sql.raw(accented)}', '${sql.raw(letter)}')`,
      sql`${key}`,
    );
    return sql`instr(iif(${key} glob '*[^ -~]*', ${plain}, ${key}), ${word}) > 0`;
  });
  return and(...isThere);
}
