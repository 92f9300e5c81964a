import { everyRow } from '../../../base/database/every-row.ts';
import type { Database } from '../../../base/database/open.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { findDomainProblems, importDomains } from '../../../name/domain/operator/import.ts';
import {
  countDomains,
  type ListedDomain,
  listDomainNames,
  listDomains,
} from '../../../name/domain/operator/list.ts';
import { parseDomainName } from '../../../name/domain/operator/name.ts';
import type { ImportedDomain } from '../../../name/domain/record.ts';
import { removeDomains } from '../../../name/domain/save.ts';
import { checkRegistrar } from '../../../party/registrar/operator/account.ts';
import { domainsView } from '../../../view/domain.ts';
import { countText } from '../../../view/text.ts';
import { splitList } from '../../command.ts';
import { nameColumn, requiredText, wordsNote } from '../../files/field.ts';
import { type Import, runImport, writeInChunks } from '../../files/import.ts';
import { importCommand, replaceOption } from '../../files/importing.ts';
import { exportCommand, exportRows } from '../../files/write.ts';
import { confirmedRemoval, maxRemovalsOption, type RemovalOptions } from '../../report/confirm.ts';
import { verb } from '../../run.ts';

const contactsNote = `codes of contacts, ${wordsNote}; empty for none; if absent, a domain keeps its own`;

type RowResult = 'created' | 'updated' | 'admin_cleared' | 'tech_cleared';

export const domainImport = {
  columns: {
    name: nameColumn,
    registrar: { note: 'code of the registrar, for example ALPHA', isRequired: true },
    registrant: {
      note: 'code of the contact that holds the domain, for example ALPHA:1B7A3C5D',
      isRequired: true,
    },
    admin: { note: contactsNote },
    tech: { note: contactsNote },
  },
  listed: Object.keys(domainsView.columns),
  read: (values) => ({
    ...parseDomainName(requiredText(values, 'name')),
    registrar: requiredText(values, 'registrar'),
    registrant: requiredText(values, 'registrant'),
    admin: codes(values.admin),
    tech: codes(values.tech),
  }),
  key: ({ name }) => name,
  findProblems: findDomainProblems,
  async write(registry, records) {
    const obstacles: string[] = [];
    const counts = await writeInChunks(
      registry,
      { label: 'importing', rows: records },
      { created: 0, updated: 0, unchanged: 0, admin_cleared: 0, tech_cleared: 0, foreign: 0 },
      async (chunk) => {
        const counts = await importDomains(registry, chunk);
        const { adminCleared, techCleared, obstacles: found, ...others } = counts;
        obstacles.push(...found);
        return { ...others, admin_cleared: adminCleared, tech_cleared: techCleared };
      },
    );
    return { ...counts, ...(obstacles.length > 0 && { obstacles }) };
  },
  text: (
    { created, updated, unchanged, admin_cleared, tech_cleared, foreign = 0 },
    { isDryRun, did },
  ) =>
    `${did('add')} ${countText(created, 'domain')}, ` +
    `change${isDryRun ? '' : 'd'} ${updated}, ${unchanged} already equal` +
    Object.entries({ admin: admin_cleared, tech: tech_cleared })
      .filter(([, count]) => count > 0)
      .map(
        ([role, count]) =>
          `; ${did('remove')} every ${role} contact of ${countText(count, 'domain')}`,
      )
      .join('') +
    (foreign > 0
      ? `; ${countText(foreign, 'domain has', 'domains have')} contacts of another registrar`
      : ''),
} satisfies Import<ImportedDomain, RowResult>;

/** Undefined keeps a role that the file lacks. */
function codes(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : splitList(text);
}

/** Asks before it removes many domains. */
function domainReplacement(options: RemovalOptions): Import<ImportedDomain, RowResult | 'removed'> {
  return {
    ...domainImport,
    isWhole: true,
    async write(registry, records) {
      const { db } = registry;
      const all = { one: 'domain', countAll: () => countDomains(db) };
      let others: string[] | undefined;
      const { removed } = await confirmedRemoval(registry, options, all, async (operation) => {
        others ??= await listOthers(db, records);
        const remove = (chunk: string[]) => removeDomains(operation, chunk);
        const rows = { label: 'removing', rows: others };
        return writeInChunks(operation.isDryRun ? {} : registry, rows, { removed: 0 }, remove);
      });
      return { ...(await domainImport.write(registry, records)), removed };
    },
    text: (counts, registry) =>
      `${domainImport.text(counts, registry)}; ${registry.did('remove')} ${counts.removed}`,
  };
}

async function listOthers(db: Database, records: readonly ImportedDomain[]): Promise<string[]> {
  const wanted = new Set(records.map(({ name }) => name));
  const domains = everyRow<{ name: string }>((page) => listDomainNames(db, page));
  const names = await Array.fromAsync(domains, ({ name }) => name);
  return names.filter((name) => !wanted.has(name));
}

export const domainImportVerb = importCommand(
  domainImport.columns,
  'domain import domains.csv',
  'domain import all-domains.csv --replace',
)
  .description('Make domains and their links to contacts equal to a file; other domains stay')
  .addOption(replaceOption('also remove the domains that the file does not name'))
  .addOption(maxRemovalsOption())
  .action((file, options) =>
    options.replace
      ? runImport(file, options, domainReplacement(options))
      : runImport(file, options, domainImport),
  );

export const domainExportVerb = verb(
  exportCommand('domain export domains.csv', 'domain export alpha.csv --registrar ALPHA')
    .description('Write the domains and their contacts to a file for domain import')
    .option('--registrar <code>', "only this registrar's domains", asciiUpperCase),
  async ({ db }, file, options) => {
    const { registrar } = options;
    await checkRegistrar(db, registrar);
    const domains = everyRow<ListedDomain>((page) => listDomains(db, page, { registrar }));
    return exportRows({ file, ...options }, domainImport.columns, domains, (domain) => {
      const { name, registrar, registrant, admin, tech } = domain;
      const codes = { admin: admin.join(' '), tech: tech.join(' ') };
      return { name, registrar, registrant: registrant ?? '', ...codes };
    });
  },
);
