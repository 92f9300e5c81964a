import { type ContactRecord, findContactProblems, importContacts } from '../../contact/import.ts';
import { importing, type RowReader } from '../file/import.ts';
import { runRecordImport } from '../file/import-records.ts';
import { counted } from '../text.ts';
import { contactColumns, readContact } from './record.ts';

export const importFile = importing(
  'Import contacts; what the file gives is kept, and a contact that is there already stays as it is',
  contactColumns,
  'contact import contacts.csv --registrar ALPHA',
  'contact import - --format ndjson < contacts.ndjson',
)
  .option('--registrar <code>', 'whose contacts they are, where the file has no column registrar')
  .action((file, options) => {
    const now = new Date();
    const reader: RowReader<ContactRecord> = {
      columns: contactColumns,
      read: (values) => readContact(values, options.registrar, now),
      keys: ({ code, uuid }) => (uuid === undefined ? [code] : [code, uuid]),
    };
    return runRecordImport(file, options, {
      reader,
      findProblems: findContactProblems,
      importRows: async (db, origin, records, isDryRun) => {
        const added = await importContacts(db, origin, records, isDryRun);
        return { added, unchanged: records.length - added };
      },
      none: { added: 0, unchanged: 0 },
      text: ({ added, unchanged }, isDryRun) =>
        `${isDryRun ? 'would add' : 'added'} ${counted(added, 'contact')}, ${unchanged} there already`,
    });
  });
