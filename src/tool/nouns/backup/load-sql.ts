import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The export may be larger than memory. */
export async function loadSql(file: string, target: string): Promise<void> {
  using database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  // A failure makes the file useless anyway.
  database.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  let statement = '';
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + chunk).split(/(?<=;\n)/);
    rest = lines.pop()!;
    for (const line of lines) {
      statement += line;
      if (isDone(database, statement)) statement = '';
    }
  }
  database.exec(`${statement}${rest}; commit`);
}

/**
 * Returns false if the statement's apparent end is inside a value or a trigger, so that SQLite
 * misses the rest.
 */
function isDone(database: DatabaseSync, statement: string): boolean {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if (/^(incomplete input|unrecognized token)/.test((error as Error).message)) return false;
    throw error;
  }
}
