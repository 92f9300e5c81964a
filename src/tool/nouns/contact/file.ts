import { everyRow } from '../../../base/database/every-row.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { currentTime } from '../../../base/time/clock.ts';
import type { Contact } from '../../../contact/contact.ts';
import { listContactsBy } from '../../../contact/operator/administer.ts';
import {
  type ContactRecord,
  findContactProblems,
  importContacts,
  updateContacts,
} from '../../../contact/operator/import.ts';
import { getRegistrar } from '../../../party/registrar/account.ts';
import { contactsView } from '../../../view/contact.ts';
import { countText } from '../../../view/text.ts';
import { type Import, runImport, writeInChunks } from '../../files/import.ts';
import { importCommand } from '../../files/importing.ts';
import { exportCommand, exportRows } from '../../files/write.ts';
import { verb } from '../../run.ts';
import { contactExportColumns, contactFileColumns, contactRow, readContact } from './record.ts';

/** With `update`, existing contacts get the values of the file. */
export function contactImport({
  registrar,
  update: isUpdate = false,
}: {
  registrar?: string;
  update?: boolean;
}): Import<ContactRecord, 'added' | 'updated'> {
  const now = currentTime();
  const none = { added: 0, updated: 0, unchanged: 0 };
  return {
    columns: contactFileColumns,
    listed: Object.keys(contactsView.columns),
    read: (values) => readContact(values, registrar, now),
    key: ({ code }) => code,
    findProblems: ({ db }, contacts) => findContactProblems(db, contacts, { isUpdate }),
    write: (registry, contacts) =>
      writeInChunks(registry, { label: 'importing', rows: contacts }, none, async (chunk) => {
        const updated = isUpdate ? await updateContacts(registry, chunk) : 0;
        const added = await importContacts(registry, chunk, { isUpdate });
        return { added, updated, unchanged: chunk.length - added - updated };
      }),
    text: ({ added, updated, unchanged }, { did }) =>
      `${did('add')} ${countText(added, 'contact')}` +
      `${isUpdate ? `, ${did('update')} ${updated}` : ''}, ${unchanged} already there`,
  };
}

export const importVerb = importCommand(
  contactFileColumns,
  'contact import contacts.csv --registrar ALPHA',
  'contact import corrected.csv --update',
)
  .description('Import contacts from a file; existing ones stay as they are without --update')
  .option('--registrar <code>', 'the registrar of rows without one', asciiUpperCase)
  .option(
    '--update',
    'also change contacts that exist: the values given, but never registrar, identity or verifications',
  )
  .action((file, options) => runImport(file, options, contactImport(options)));

export const exportVerb = verb(
  exportCommand('contact export contacts.csv --registrar ALPHA')
    .description("Write a registrar's contacts, auth_info included, to a file for contact import")
    .requiredOption('--registrar <code>', 'the registrar whose contacts to write', asciiUpperCase),
  async ({ db }, file, options) => {
    const { registrar } = options;
    await getRegistrar(db, registrar);
    const contacts = everyRow<Contact>((page) => listContactsBy(db, { registrar }, page));
    return exportRows({ file, ...options }, contactExportColumns, contacts, (contact) =>
      contactRow(contact, registrar),
    );
  },
);
