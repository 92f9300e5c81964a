import { getContactByCode } from '../../contact/administer.ts';
import { detailedRepresentation } from '../../contact/representation.ts';
import { retried } from '../../database/retry.ts';
import { database } from '../context.ts';
import { newApp } from '../hono.ts';
import { may } from './login.ts';

export const internalContacts = newApp();

internalContacts.use(may('changes'));

internalContacts.get('/:code', async (c) => {
  const contact = await retried(() => getContactByCode(database(c), c.req.param('code')));
  return c.json({ contact: detailedRepresentation(contact), registrar: contact.registrar });
});
