import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Loads an export in SQL, which may be larger than memory, into a new database. */
export async function loadSql(file: string, target: string): Promise<void> {
  using database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  // Nobody needs the file if this fails.
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

/** Quotes and comments, by how they begin, with how they end. A semicolon inside ends nothing. */
const quotes: Record<string, string> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '--': '\n',
  '/*': '*/',
};

/** Finds the end of the last complete statement. */
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

/** A trigger contains statements and ends with `; end;`, as in SQLite's sqlite3_complete. */
function isUnfinishedTrigger(text: string): boolean {
  return /^\s*create\s+trigger\s/i.test(text) && !/;\s*end\s*;$/i.test(text);
}
