import { currentTime } from '../../clock.ts';
import { type ContactRecord, findContactProblems, importContacts } from '../../contact/import.ts';
import { runRecordImport } from '../file/import-records.ts';
import { importing } from '../file/importing.ts';
import type { RowReader } from '../file/read-import.ts';
import { counted, did } from '../text.ts';
import { contactColumns, readContact } from './record.ts';

export const command = importing(
  contactColumns,
  'contact import contacts.csv --registrar ALPHA',
  'contact import - --format ndjson < contacts.ndjson',
)
  .option('--registrar <code>', 'the registrar of rows without one')
  .option('--legacy', "also import what today's rules refuse, with a warning for each rule")
  .action((file, options) => {
    const now = currentTime();
    const legacy: Record<string, number> = {};
    const onLegacy = options.legacy
      ? (column: string) => {
          legacy[column] = (legacy[column] ?? 0) + 1;
        }
      : undefined;
    const reader: RowReader<ContactRecord> = {
      columns: contactColumns,
      read: (values) => readContact(values, { registrar: options.registrar, now, onLegacy }),
      keys: ({ code, uuid }) => (uuid === undefined ? [code] : [code, uuid]),
    };
    return runRecordImport(file, options, {
      reader,
      findProblems: ({ db }, records) => findContactProblems(db, records),
      importRows: async (db, origin, records, change) => {
        const added = await importContacts(db, origin, records, change);
        return { added, unchanged: records.length - added };
      },
      none: { added: 0, unchanged: 0 },
      text: ({ added, unchanged }, registry) =>
        `${did('add', registry)} ${counted(added, 'contact')}, ${unchanged} already there${warningsOf(legacy)}`,
      ...(options.legacy && { extra: { warnings: legacy } }),
    });
  });

/** A line for each column with values that today's rules refuse. */
function warningsOf(legacy: Readonly<Record<string, number>>): string {
  return Object.entries(legacy)
    .map(
      ([column, count]) =>
        `\nwarning: ${counted(count, 'row')} whose ${column} today's rules refuse`,
    )
    .join('');
}
