import { retried } from '../../../base/database/retry.ts';
import { disclosuresOf, type PersonalDisclosure } from '../../../contact/personal-data.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { linkAfter, requestedPage, takesPage } from '../request/paging.ts';
import { registrantMiddleware } from './login.ts';

export const registrantDisclosures = newApp();

registrantDisclosures.use(...registrantMiddleware);

registrantDisclosures.get('/', takesPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const { person, now } = c.var;
  const found = await retried(() => disclosuresOf(database(c), person, now, page));
  linkAfter(c, page, found);
  return c.json({ disclosures: found.map(personalDisclosure) });
});

/** A disclosure as the person sees it. */
export function personalDisclosure(disclosure: PersonalDisclosure) {
  return {
    contact: disclosure.contactCode,
    organization: disclosure.organization,
    basis: disclosure.basis,
    fields: disclosure.grantedFields,
    granted_at: disclosure.answeredAt,
  };
}
