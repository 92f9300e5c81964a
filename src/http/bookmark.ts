import { RegistryError } from '../error.ts';

/** Carries what a client has seen of the database, in D1's words. */
export const bookmarkHeader = 'X-D1-Bookmark';

/** Whether it has the form of D1's bookmarks (d1/reference/time-travel): four hexadecimal numbers. */
export function isBookmark(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/.test(text);
}

export function bookmarkRefused(): RegistryError {
  return new RegistryError('invalid', 'Bookmark is invalid', bookmarkHeader);
}
