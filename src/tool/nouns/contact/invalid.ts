import { everyRow } from '../../../base/database/every-row.ts';
import type { ContactWithRegistrar } from '../../../contact/contact.ts';
import { invalidValues } from '../../../contact/invalid.ts';
import { type ContactCriteria, listContactsBy } from '../../../contact/operator/administer.ts';
import { invalidContactsView } from '../../../view/contact.ts';
import type { Registry } from '../../registry.ts';

/** Contacts with values that today's rules refuse, streamed. */
export const invalidContacts = {
  ...invalidContactsView,
  async *read({ db, origin }: Registry, criteria: ContactCriteria) {
    const contacts = everyRow<ContactWithRegistrar>((page) => listContactsBy(db, criteria, page));
    for await (const contact of contacts) {
      const invalid = invalidValues(contact, origin.request.at);
      if (invalid.length > 0) yield { ...contact, invalid };
    }
  },
};
