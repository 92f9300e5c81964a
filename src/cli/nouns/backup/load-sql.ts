import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Makes a database of an export in SQL, which may be larger than memory. */
export async function loadSql(file: string, target: string): Promise<void> {
  using database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  // Whatever goes wrong, the file is thrown away.
  database.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    rest += chunk;
    const end = endOfStatements(rest);
    database.exec(rest.slice(0, end));
    rest = rest.slice(end);
  }
  database.exec(`${rest}; commit`);
}

/** The text that begins a part in which a semicolon ends nothing, and the text that ends it. */
const quotes: Record<string, string> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '--': '\n',
  '/*': '*/',
};

/** Where the last statement ends that is complete in the text. */
function endOfStatements(text: string): number {
  const next = /['"`;]|--|\/\*/g;
  let end = 0;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === ';') {
      if (!isUnfinishedTrigger(text.slice(end, next.lastIndex))) end = next.lastIndex;
      continue;
    }
    const quote = quotes[found[0]]!;
    const closing = text.indexOf(quote, next.lastIndex);
    if (closing === -1) return end;
    next.lastIndex = closing + quote.length;
  }
  return end;
}

/** A trigger has statements of its own, and then, as SQLite's sqlite3_complete has it, `; end;`. */
function isUnfinishedTrigger(text: string): boolean {
  return /^\s*create\s+trigger\s/i.test(text) && !/;\s*end\s*;$/i.test(text);
}
