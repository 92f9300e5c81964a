import type { Written } from '../../../change/write.ts';
import type { ContactReference } from '../../../contact/contact.ts';
import type { AppContext } from '../request/context.ts';
import { markReplay } from '../request/write-request.ts';
import { done } from './answer.ts';

/** The answer to the write of a contact, with the contact's new version. */
export function writtenAnswer(
  c: AppContext,
  { outcome, isReplay }: Written<ContactReference>,
  data: object,
): Response {
  c.header('ETag', `"${outcome.version}"`);
  markReplay(c, isReplay);
  return c.json(done(data));
}
