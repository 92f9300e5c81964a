import { type ContactRecord, findContactProblems, importContacts } from '../../contact/import.ts';
import {
  importing,
  type RowReader,
  readImport,
  rejectedText,
  rejectRows,
  settleRejected,
} from '../file/import.ts';
import { inChunks } from '../progress.ts';
import { runPrepared } from '../run.ts';
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
    return runPrepared(
      options,
      () => readImport(file, options, reader),
      async ({ db, origin, isDryRun }, read) => {
        for (const chunk of inChunks('checking', read.rows)) {
          const records = chunk.map(({ row }) => row);
          rejectRows(read, await findContactProblems(db, records));
        }
        const rejectedFile = await settleRejected(read, options);
        const records = read.rows.map(({ row }) => row);
        let added = 0;
        for (const chunk of inChunks('importing', records)) {
          added += await importContacts(db, origin, chunk, isDryRun);
        }
        const unchanged = records.length - added;
        const rejected = read.rejected.length;
        return {
          data: {
            read: records.length + rejected,
            added,
            unchanged,
            rejected,
            rejected_file: rejectedFile ?? null,
            changed: added > 0 && !isDryRun,
          },
          text:
            `${isDryRun ? 'would add' : 'added'} ${counted(added, 'contact')}, ${unchanged} there already` +
            rejectedText(rejected, rejectedFile),
        };
      },
    );
  });
