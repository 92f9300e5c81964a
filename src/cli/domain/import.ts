import { importDomains } from '../../domain/import.ts';
import { listDomainNames } from '../../domain/list.ts';
import { parseDomainName } from '../../domain/name.ts';
import { type DomainRecord, findDomainProblems } from '../../domain/record.ts';
import { removeDomains } from '../../domain/remove.ts';
import { RegistryError } from '../../error.ts';
import { nameColumn, requiredText, words, wordsNote } from '../file/field.ts';
import { runRecordImport } from '../file/import-records.ts';
import { importing, replaceOption } from '../file/importing.ts';
import type { RowReader } from '../file/read-import.ts';
import { everyPage } from '../pages.ts';
import { inChunks } from '../progress.ts';
import type { Registry } from '../registry.ts';
import { confirmRemovals, maxRemovalsOption } from '../removals.ts';
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

export const command = importing(
  reader.columns,
  'domain import domains.csv',
  'domain import all-domains.csv --replace',
)
  .addOption(replaceOption('also remove the domains that the file does not name'))
  .addOption(maxRemovalsOption())
  .action((file, options) =>
    runRecordImport(file, options, {
      reader,
      findProblems: ({ db }, records: readonly DomainRecord[]) => findDomainProblems(db, records),
      importRows: importDomains,
      none: { created: 0, updated: 0, unchanged: 0 },
      text: ({ created, updated, unchanged }, registry) =>
        `${did('add', registry)} ${counted(created, 'domain')}, ` +
        `${registry.isDryRun ? 'change' : 'changed'} ${updated}, ${unchanged} already equal`,
      ...(options.replace && {
        prepare: (registry: Registry, records: readonly DomainRecord[]) =>
          prepareRemoval(registry, records, options),
      }),
    }),
  );

/** Finds the domains that are not among the records, asks before many go, and returns their removal. */
async function prepareRemoval(
  registry: Registry,
  records: readonly DomainRecord[],
  options: Parameters<typeof confirmRemovals>[1],
) {
  const { db, origin, isDryRun } = registry;
  const wanted = new Set(records.map(({ name }) => name));
  const names = await Array.fromAsync(
    everyPage<string, string>(
      (page) => listDomainNames(db, page),
      (name) => name,
    ),
  );
  const others = names.filter((name) => !wanted.has(name));
  const removals = { removed: others.length, total: names.length, one: 'domain' };
  if (!isDryRun) await confirmRemovals(removals, options);
  return async () => {
    let removed = 0;
    for (const chunk of inChunks('removing', others)) {
      removed += await removeDomains(db, origin, chunk, { isDryRun });
    }
    return { counts: { removed }, text: `; ${did('remove', registry)} ${removed}` };
  };
}
