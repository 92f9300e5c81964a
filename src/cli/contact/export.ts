import type { Contact } from '../../contact/contact.ts';
import { listContactsOfRegistrar } from '../../contact/export.ts';
import { getRegistrar } from '../../registrar/account.ts';
import { exporting, exportRows } from '../file/export.ts';
import { everyPage } from '../pages.ts';
import { run } from '../run.ts';
import { contactColumns, contactRow } from './record.ts';

export const command = exporting('contact export contacts.csv --registrar ALPHA')
  .requiredOption('--registrar <code>', 'whose contacts')
  .action((file, options) =>
    run(options, async ({ db }) => {
      const { registrar } = options;
      // Before the file is opened, which empties it.
      await getRegistrar(db, registrar);
      const contacts = everyPage<Contact, number>(
        (page) => listContactsOfRegistrar(db, registrar, page),
        ({ number }) => number,
      );
      async function* rows() {
        for await (const contact of contacts) yield contactRow(contact, registrar);
      }
      return exportRows(file, options, rows(), Object.keys(contactColumns));
    }),
  );
