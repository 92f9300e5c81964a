import * as z from 'zod/mini';
import { RegistryError } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { type Contact, versionOf } from '../../../contact/contact.ts';
import { listContactsOfPerson } from '../../../contact/list.ts';
import { getContactOfPerson, listHistoryOfPerson } from '../../../contact/read.ts';
import { registrantRepresentation } from '../../../contact/representation.ts';
import { updateContactOfPerson } from '../../../contact/update.ts';
import { settings } from '../../settings.ts';
import { historyEntry } from '../request/answer.ts';
import { contactAnswer, markReplay, writeRequest } from '../request/client-headers.ts';
import { bodyFields, columnsOf, withoutRepeated } from '../request/contact-body.ts';
import { database, newApp, queueAfterResponse } from '../request/context.ts';
import { nameIgnoredFields, parsed } from '../request/input.ts';
import { linkAfter, requestedPage, takesBoundedPage, takesPage } from '../request/paging.ts';
import { formOrJsonBody } from './form.ts';
import { registrantMiddleware } from './login.ts';

export const registrantContacts = newApp();

registrantContacts.use(...registrantMiddleware);

registrantContacts.get('/', takesPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const found = await listContactsOfPerson(database(c), c.var.person, page);
  linkAfter(c, page, found);
  const shown = found.map(listRepresentation);
  return c.json(settings(c.env).REGISTRANT_LIST_FORM === 'array' ? shown : { contacts: shown });
});

registrantContacts.get('/:uuid', async (c) => {
  const contact = await getContactOfPerson(database(c), c.var.person, c.req.param('uuid'));
  return contactAnswer(c, contact, registrantRepresentation(contact));
});

registrantContacts.get('/:uuid/history', takesBoundedPage, async (c) => {
  const page = requestedPage(c.req.valid('query'));
  const entries = await listHistoryOfPerson(database(c), c.var.person, c.req.param('uuid'), page);
  linkAfter(c, page, entries);
  return c.json({ history: entries.map(historyEntry) });
});

export const patchBody = onFirstUse(() =>
  z.object(bodyFields('registrant', { isCreation: false })),
);

registrantContacts.patch('/:uuid', async (c) => {
  const body = await formOrJsonBody(c);
  nameIgnoredFields(c, patchBody(), body);
  const names = Object.keys(body);
  // An empty body changes nothing and succeeds.
  if (names.length > 0 && !names.some((name) => Object.hasOwn(patchBody().shape, name))) {
    throw new RegistryError('missing', 'No field of a contact is given');
  }
  const parseChanges = (onRecord: Contact) =>
    columnsOf('registrant', parsed(patchBody(), withoutRepeated('registrant', body, onRecord)));
  const { outcome, isReplay } = await updateContactOfPerson(
    { db: database(c), person: c.var.person, request: await writeRequest(c) },
    c.req.param('uuid'),
    parseChanges,
  );
  queueAfterResponse(c, outcome.registrarId);
  markReplay(c, isReplay);
  c.header('ETag', `"${versionOf(outcome)}"`);
  return c.json(registrantRepresentation(outcome));
});

function listRepresentation(contact: Contact) {
  const { disclosed_attributes: _, ...rest } = registrantRepresentation(contact);
  return rest;
}
