import { getContactByCode } from '../../contact/administer.ts';
import { type DomainOfContact, listDomainsOfContact } from '../../domain/list.ts';
import { reading } from '../command.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { fieldLines } from '../text.ts';
import { contactData } from './data.ts';

export const command = reading('contact show ALPHA:1B7A3C5D')
  .argument('<code>', 'the contact')
  .action((code, options) =>
    run(options, async ({ db }) => {
      const contact = await getContactByCode(db, code);
      const domains = await Array.fromAsync(
        everyPage<DomainOfContact, string>(
          (page) => listDomainsOfContact(db, code, page),
          ({ name }) => name,
        ),
      );
      const data = { ...contactData(contact), domains: domains.map(({ name }) => name) };
      return { data: { contact: data }, text: fieldLines(data) };
    }),
  );
