import { importDomains } from '../../domain/import.ts';
import { parseDomainName } from '../../domain/name.ts';
import { type DomainRecord, findDomainProblems } from '../../domain/record.ts';
import { RegistryError } from '../../error.ts';
import { nameColumn, textField, words, wordsNote } from '../file/field.ts';
import { importing, type RowReader } from '../file/import.ts';
import { runRecordImport } from '../file/import-records.ts';
import { counted } from '../text.ts';

const reader: RowReader<DomainRecord> = {
  columns: {
    name: nameColumn,
    registrar: { note: 'code of the registrar, as ALPHA', isRequired: true },
    registrant: {
      note: 'code of the one contact that holds the domain, as ALPHA:1B7A3C5D',
      isRequired: true,
    },
    admin: { note: `codes of contacts, ${wordsNote}`, isRequired: false },
    tech: { note: `codes of contacts, ${wordsNote}`, isRequired: false },
  },
  read: (values) => ({
    ...parseDomainName(textField(values, 'name')),
    registrar: textField(values, 'registrar'),
    registrant: textField(values, 'registrant'),
    admin: codes(values, 'admin'),
    tech: codes(values, 'tech'),
  }),
  keys: ({ name }) => [name],
};

/** Codes of contacts: words, or a list in NDJSON. */
function codes(values: Record<string, unknown>, field: string): string[] {
  const value = words(values[field] ?? '');
  if (Array.isArray(value) && value.every((code) => typeof code === 'string')) return value;
  throw new RegistryError('invalid', 'is no list of contact codes', field);
}

export const importFile = importing(
  'Make domains and all of their contacts as the file says; domains that it does not name stay',
  reader.columns,
  'domain import domains.csv',
).action((file, options) =>
  runRecordImport(file, options, {
    reader,
    findProblems: findDomainProblems,
    importRows: importDomains,
    none: { created: 0, updated: 0, unchanged: 0 },
    text: ({ created, updated, unchanged }, isDryRun) =>
      `${isDryRun ? 'would add' : 'added'} ${counted(created, 'domain')}, ` +
      `${isDryRun ? 'change' : 'changed'} ${updated}, ${unchanged} as they were`,
  }),
);
