import { type Contact, checkVersion, versionOf } from '../contact/contact.ts';
import { RegistryError } from '../error.ts';
import type { AppContext } from './context.ts';
import { isTagList, matchesStrongly, matchesWeakly } from './entity-tag.ts';

/** Conditions on the version of one contact (RFC 9110, section 13). Malformed ones throw `invalid`. */

/** Whether a write may be made to a version; undefined if the request does not say. */
export function writeCondition(c: AppContext): ((version: string) => boolean) | undefined {
  const [match, noneMatch] = [tagsIn(c, 'If-Match'), tagsIn(c, 'If-None-Match')];
  if (match === undefined && noneMatch === undefined) return undefined;
  return (version) =>
    (match === undefined || matchesStrongly(match, version)) &&
    (noneMatch === undefined || !matchesWeakly(noneMatch, version));
}

/** The answer to a read of one contact: 304 if the client has its version. Throws `changed_meanwhile`. */
export function contactAnswer(c: AppContext, contact: Contact, body: object): Response {
  const [match, noneMatch] = [tagsIn(c, 'If-Match'), tagsIn(c, 'If-None-Match')];
  const version = versionOf(contact);
  const isExpected = match === undefined || matchesStrongly(match, version);
  checkVersion(contact, { isExpected: () => isExpected });
  c.header('ETag', `"${version}"`);
  const isKnown = noneMatch !== undefined && matchesWeakly(noneMatch, version);
  return isKnown ? c.body(null, 304) : c.json(body);
}

function tagsIn(c: AppContext, name: 'If-Match' | 'If-None-Match'): string | undefined {
  const value = c.req.header(name);
  if (value === undefined || isTagList(value)) return value;
  const message = `${name} is invalid`;
  const detail = `${name} takes entity tags in quotes, as ETag gives them, separated by commas, or *.`;
  throw new RegistryError([{ reason: 'invalid', message, field: name, detail }]);
}
