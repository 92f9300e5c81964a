import { importDomains } from '../../domain/import.ts';
import { parseDomainName } from '../../domain/name.ts';
import { type DomainRecord, findDomainProblems } from '../../domain/record.ts';
import { RegistryError } from '../../error.ts';
import { nameColumn, requiredText, words, wordsNote } from '../file/field.ts';
import { runRecordImport } from '../file/import-records.ts';
import { importing } from '../file/importing.ts';
import type { RowReader } from '../file/read-import.ts';
import { counted, did } from '../text.ts';

const reader: RowReader<DomainRecord> = {
  columns: {
    name: nameColumn,
    registrar: { note: 'code of the registrar, for example ALPHA', isRequired: true },
    registrant: {
      note: 'code of the contact that holds the domain, for example ALPHA:1B7A3C5D',
      isRequired: true,
    },
    admin: { note: `codes of contacts, ${wordsNote}`, isRequired: false },
    tech: { note: `codes of contacts, ${wordsNote}`, isRequired: false },
  },
  read: (values) => ({
    ...parseDomainName(requiredText(values, 'name')),
    registrar: requiredText(values, 'registrar'),
    registrant: requiredText(values, 'registrant'),
    admin: codes(values, 'admin'),
    tech: codes(values, 'tech'),
  }),
  keys: ({ name }) => [name],
};

/** Codes of contacts: words, or a list in NDJSON. */
function codes(values: Record<string, unknown>, field: string): string[] {
  const value = words(values[field] ?? '');
  if (Array.isArray(value) && value.every((code) => typeof code === 'string')) return value;
  throw new RegistryError('invalid', 'is not a list of contact codes', field);
}

export const command = importing(reader.columns, 'domain import domains.csv').action(
  (file, options) =>
    runRecordImport(file, options, {
      reader,
      findProblems: findDomainProblems,
      importRows: importDomains,
      none: { created: 0, updated: 0, unchanged: 0 },
      text: ({ created, updated, unchanged }, registry) =>
        `${did('add', registry)} ${counted(created, 'domain')}, ` +
        `${registry.isDryRun ? 'change' : 'changed'} ${updated}, ${unchanged} already equal`,
    }),
);
