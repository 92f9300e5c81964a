import type { Contact } from '../../../contact/contact.ts';
import {
  type ContactRecord,
  findContactProblems,
  importContacts,
} from '../../../contact/import.ts';
import { listContactsOfRegistrar } from '../../../contact/list.ts';
import { everyRow } from '../../../database/every-row.ts';
import { getRegistrar } from '../../../registrar/account.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { currentTime } from '../../../time/clock.ts';
import { exporting, exportRows } from '../../file/exporting.ts';
import { type Import, importing, runImport, writeInChunks } from '../../file/import.ts';
import { counted } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { contactFileColumns, contactRow, readContact } from './record.ts';

export function contactImport(options: { registrar?: string }): Import<ContactRecord, 'added'> {
  const now = currentTime();
  return {
    columns: contactFileColumns,
    read: (values) => readContact(values, options.registrar, now),
    keys: ({ code, uuid }) => (uuid === undefined ? [code] : [code, uuid]),
    findProblems: ({ db }, contacts) => findContactProblems(db, contacts),
    write: ({ db, origin, isDryRun }, contacts) =>
      writeInChunks('importing', contacts, { added: 0, unchanged: 0 }, async (chunk) => {
        const added = await importContacts(db, origin, chunk, { isDryRun });
        return { added, unchanged: chunk.length - added };
      }),
    text: ({ added, unchanged }, { did }) =>
      `${did('add')} ${counted(added, 'contact')}, ${unchanged} already there`,
  };
}

export const importVerb = importing(
  contactFileColumns,
  'contact import contacts.csv --registrar ALPHA',
  'contact import - --format ndjson < contacts.ndjson',
)
  .description('Import contacts from a file; existing contacts are left as they are')
  .option('--registrar <code>', 'the registrar of rows without one', asciiUpperCase)
  .action((file, options) => runImport(file, options, contactImport(options)));

export const exportVerb = verb(
  exporting('contact export contacts.csv --registrar ALPHA')
    .description("Write a registrar's contacts, auth_info included, to a file for contact import")
    .requiredOption('--registrar <code>', 'the registrar whose contacts to write', asciiUpperCase),
  async ({ db }, file, options) => {
    const { registrar } = options;
    await getRegistrar(db, registrar);
    const contacts = everyRow<Contact>((page) => listContactsOfRegistrar(db, registrar, page));
    return exportRows(file, options, contactFileColumns, contacts, (contact) =>
      contactRow(contact, registrar),
    );
  },
);
