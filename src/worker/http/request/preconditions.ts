import { RegistryError } from '../../../base/error.ts';
import { type Contact, checkVersion, versionOf } from '../../../contact/contact.ts';
import type { AppContext } from './context.ts';
import { isTagList, matches } from './entity-tag.ts';

/** Conditions on the version of one contact (RFC 9110, section 13). Malformed ones throw `invalid`. */

/** Whether a write may be made to a version. */
export function writeCondition(c: AppContext): (version: string) => boolean {
  const { isExpected, isKnown } = conditionsIn(c);
  return (version) => isExpected(version) && !isKnown(version);
}

/** The answer to a read of one contact: 304 if the client has its version. Throws `changed_meanwhile`. */
export function contactAnswer(c: AppContext, contact: Contact, body: object): Response {
  const { isExpected, isKnown } = conditionsIn(c);
  checkVersion(contact, { isExpected });
  const version = versionOf(contact);
  c.header('ETag', `"${version}"`);
  return isKnown(version) ? c.body(null, 304) : c.json(body);
}

function conditionsIn(c: AppContext) {
  const [match, noneMatch] = [tagsIn(c, 'If-Match'), tagsIn(c, 'If-None-Match')];
  return {
    isExpected: (version: string) => match === undefined || matches('strong', match, version),
    isKnown: (version: string) => noneMatch !== undefined && matches('weak', noneMatch, version),
  };
}

function tagsIn(c: AppContext, name: 'If-Match' | 'If-None-Match'): string | undefined {
  const value = c.req.header(name);
  if (value === undefined || isTagList(value)) return value;
  const message = `${name} is invalid`;
  const detail = `${name} takes entity tags in quotes, as ETag gives them, separated by commas, or *.`;
  throw new RegistryError([{ reason: 'invalid', message, field: name, detail }]);
}
