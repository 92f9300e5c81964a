/**
 * Whether the write was rejected because of another row: one that has the same values of a unique index, that refers to
 * this one, or that is not there for this one to refer to.
 */
export function isAboutOtherRow(error: unknown): boolean {
  return ['UNIQUE', 'FOREIGN KEY'].some((kind) => mentions(error, `${kind} constraint failed`));
}

/** Whether a text in the query, or in its result, would have more than the 2,000,000 bytes that D1 accepts. */
export function isTooLong(error: unknown): boolean {
  return mentions(error, 'string or blob too big');
}

/**
 * Whether D1 rejected the bookmark that a session starts from: it is from another database, or from before a restore.
 * D1's documentation lists no error for this, so any error that names the bookmark counts.
 */
export function isAboutBookmark(error: unknown): boolean {
  return mentions(error, 'ookmark');
}

/** Whether the error's message, or that of one of its causes, contains the text: SQLite's words appear nowhere else. */
export function mentions(error: unknown, text: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
}
