import { retried } from '../../../base/database/retry.ts';
import { getContactByCode } from '../../../contact/administer.ts';
import { detailedRepresentation } from '../../../contact/representation.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { may } from './login.ts';

export const internalContacts = newApp();

internalContacts.use(may('changes'));

internalContacts.get('/:code', async (c) => {
  const contact = await retried(() => getContactByCode(database(c), c.req.param('code')));
  return c.json({ contact: detailedRepresentation(contact), registrar: contact.registrar });
});
