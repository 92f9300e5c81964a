import { everyRow } from '../../../base/database/every-row.ts';
import type { ContactWithRegistrar } from '../../../contact/contact.ts';
import { type InvalidValue, invalidValues } from '../../../contact/invalid.ts';
import { type ContactCriteria, listContactsBy } from '../../../contact/operator/administer.ts';
import { plain } from '../../../view/columns.ts';
import type { Registry } from '../../registry.ts';

type JudgedContact = ContactWithRegistrar & { invalid: InvalidValue[] };

/** Contacts with values that today's rules refuse, streamed. */
export const invalidContacts = {
  columns: plain<JudgedContact>('registrar', 'code', 'invalid'),
  textOf: ({ code, invalid }: JudgedContact) => invalid.map((value) => lineOf(code, value)),
  none: 'there are no such contacts',
  async *read({ db, origin }: Registry, criteria: ContactCriteria) {
    const contacts = everyRow<ContactWithRegistrar>((page) => listContactsBy(db, criteria, page));
    for await (const contact of contacts) {
      const invalid = invalidValues(contact, origin.request.at);
      if (invalid.length > 0) yield { ...contact, invalid };
    }
  },
};

/** `ALPHA:1: Phone nr is invalid: "+3725551234" [phone]` */
function lineOf(code: string, { reason, message, field, value }: InvalidValue): string {
  const judged = value === undefined ? message : `${message}: ${JSON.stringify(value)}`;
  return `${code}: ${reason === 'missing' ? `${field} is missing` : judged} [${field}]`;
}
