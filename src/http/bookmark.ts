import { RegistryError } from '../error.ts';

/** The header with D1's bookmark of the database state that a client has seen. */
export const bookmarkHeader = 'X-D1-Bookmark';

/** The form of a D1 bookmark (d1/reference/time-travel): four hexadecimal numbers. */
export const bookmarkPattern = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

export function bookmarkRefused(): RegistryError {
  return new RegistryError('invalid', 'Bookmark is invalid', bookmarkHeader);
}
