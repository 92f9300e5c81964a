/** Another row has the same unique values, refers to this one, or is missing. */
export function isAboutOtherRow(error: unknown): boolean {
  return ['UNIQUE', 'FOREIGN KEY'].some((kind) => mentions(error, `${kind} constraint failed`));
}

/** A table or a column is missing. */
export function isAboutMigration(error: unknown): boolean {
  const kinds = ['no such table', 'no such column', 'has no column named'];
  return kinds.some((kind) => mentions(error, kind));
}

export const migrationHint =
  'The database lacks migrations: npm start applies them to a local one, npm run deploy to a deployed one.';

/** D1 accepts 2,000,000 bytes in a text of the query or its result. */
export function isTooLong(error: unknown): boolean {
  return mentions(error, 'string or blob too big');
}

/**
 * True if the bookmark is of another database, or from before a restore. D1 documents no error for this, so any error
 * that names the bookmark counts.
 */
export function isAboutBookmark(error: unknown): boolean {
  return mentions(error, 'ookmark');
}

export function mentions(error: unknown, text: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
}
