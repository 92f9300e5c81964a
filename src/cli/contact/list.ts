import { type AdministeredContact, listContactsBy } from '../../contact/administer.ts';
import { statusesOf } from '../../contact/contact.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { table } from '../text.ts';
import { contactData } from './data.ts';

export const command = reading(
  'contact list --registrar ALPHA',
  'contact list --ident 38001085718 --json',
)
  .option('--registrar <code>', "only this registrar's contacts")
  .option('--ident <code>', 'only contacts with this identity code')
  .option('--email <address>', 'only contacts with this address')
  .option('--name <text>', 'only contacts whose name contains this')
  .action((options) =>
    run(options, async ({ db }) => {
      const { registrar, ident, email, name } = options;
      const contacts = await Array.fromAsync(
        everyPage<AdministeredContact, number>(
          (page) => listContactsBy(db, { registrar, ident, email, name }, page),
          ({ id }) => id,
        ),
      );
      return {
        data: { contacts: contacts.map(contactData) },
        text: table(
          ['CODE', 'NAME', 'IDENT', 'EMAIL', 'STATUSES'],
          contacts.map((contact) => [
            contact.code,
            contact.name,
            `${contact.identCountryCode} ${contact.ident}`,
            contact.email,
            statusesOf(contact).join(', '),
          ]),
          'there are no such contacts',
        ),
      };
    }),
  );
