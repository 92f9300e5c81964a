import { searchKey } from '../base/text/search-key.ts';
import type { Contact } from './contact.ts';
import { identityKey } from './identity-code.ts';

/** The columns by which contacts are found. */
export function keysOf({ ident, name, email }: Pick<Contact, 'ident' | 'name' | 'email'>) {
  return { identKey: identityKey(ident), nameKey: searchKey(name), emailKey: searchKey(email) };
}
