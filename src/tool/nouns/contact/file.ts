import { everyRow } from '../../../base/database/every-row.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { currentTime } from '../../../base/time/clock.ts';
import type { Contact } from '../../../contact/contact.ts';
import { listContactsOfRegistrar } from '../../../contact/list.ts';
import {
  type ContactRecord,
  findContactProblems,
  importContacts,
  splitContacts,
  updateContacts,
} from '../../../contact/operator/import.ts';
import { getRegistrar } from '../../../party/registrar/account.ts';
import { exporting, exportRows } from '../../files/exporting.ts';
import { type Import, runImport, writeInChunks } from '../../files/import.ts';
import { importing } from '../../files/importing.ts';
import { counted } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { contactExportColumns, contactFileColumns, contactRow, readContact } from './record.ts';

export function contactImport(options: { registrar?: string }): Import<ContactRecord, 'added'> {
  const now = currentTime();
  return {
    columns: contactFileColumns,
    read: (values) => readContact(values, options.registrar, now),
    keys: ({ code }) => [code],
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

/** The same, but contacts that exist get the values of the file. */
function contactUpdate(options: {
  registrar?: string;
}): Import<ContactRecord, 'added' | 'updated'> {
  const none = { added: 0, updated: 0, unchanged: 0 };
  return {
    ...contactImport(options),
    findProblems: ({ db }, contacts) => findContactProblems(db, contacts, { isUpdate: true }),
    write: ({ db, origin, isDryRun }, contacts) =>
      writeInChunks('importing', contacts, none, async (chunk) => {
        const { missing, changed } = await splitContacts(db, chunk);
        const updated = await updateContacts(db, origin, changed, { isDryRun });
        const added = await importContacts(db, origin, missing, { isDryRun });
        return { added, updated, unchanged: chunk.length - added - updated };
      }),
    text: ({ added, updated, unchanged }, { did }) =>
      `${did('add')} ${counted(added, 'contact')}, ${did('update')} ${updated}, ${unchanged} already equal`,
  };
}

export const importVerb = importing(
  contactFileColumns,
  'contact import contacts.csv --registrar ALPHA',
  'contact import corrected.csv --update',
  'contact import - --format ndjson < contacts.ndjson',
)
  .description('Import contacts from a file; existing contacts are left as they are')
  .option('--registrar <code>', 'the registrar of rows without one', asciiUpperCase)
  .option(
    '--update',
    'also change contacts that exist: the values given, but never registrar, identity or verifications',
  )
  .action((file, options) =>
    options.update
      ? runImport(file, options, contactUpdate(options))
      : runImport(file, options, contactImport(options)),
  );

export const exportVerb = verb(
  exporting('contact export contacts.csv --registrar ALPHA')
    .description("Write a registrar's contacts, auth_info included, to a file for contact import")
    .requiredOption('--registrar <code>', 'the registrar whose contacts to write', asciiUpperCase),
  async ({ db }, file, options) => {
    const { registrar } = options;
    await getRegistrar(db, registrar);
    const contacts = everyRow<Contact>((page) => listContactsOfRegistrar(db, registrar, page));
    return exportRows(file, options, contactExportColumns, contacts, (contact) =>
      contactRow(contact, registrar),
    );
  },
);
