import { importDomains } from '../../domain/import.ts';
import {
  countDomains,
  type DomainOfContact,
  listDomainNames,
  listDomainsOfContact,
} from '../../domain/list.ts';
import { parseDomainName } from '../../domain/name.ts';
import { getDomain } from '../../domain/read.ts';
import { type DomainRecord, findDomainProblems } from '../../domain/record.ts';
import { removeDomains } from '../../domain/remove.ts';
import { RegistryError } from '../../error.ts';
import { noun, reading, writing } from '../command.ts';
import { nameColumn, requiredText, words, wordsNote } from '../file/field.ts';
import { type Import, runImport, writeInChunks } from '../file/import.ts';
import { importing, replaceOption } from '../file/importing.ts';
import { parseAnyNames } from '../names.ts';
import { allRows } from '../pages.ts';
import { confirmRemovals, maxRemovalsOption, type RemovalOptions } from '../removals.ts';
import { verb } from '../run.ts';
import { counted, fieldLines, table } from '../text.ts';

/** The import of domains with their contacts. */
export const domainImport = {
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
  findProblems: ({ db }, records) => findDomainProblems(db, records),
  write: ({ db, origin, isDryRun }, records) =>
    writeInChunks('importing', records, { created: 0, updated: 0, unchanged: 0 }, (chunk) =>
      importDomains(db, origin, chunk, { isDryRun }),
    ),
  text: ({ created, updated, unchanged }, { isDryRun, did }) =>
    `${did('add')} ${counted(created, 'domain')}, ` +
    `change${isDryRun ? '' : 'd'} ${updated}, ${unchanged} already equal`,
} satisfies Import<DomainRecord, 'created' | 'updated'>;

/** Codes of contacts: words, or a list in NDJSON. */
function codes(values: Record<string, unknown>, field: string): string[] {
  const value = words(values[field] ?? '');
  if (Array.isArray(value) && value.every((code) => typeof code === 'string')) return value;
  throw new RegistryError('invalid', 'is not a list of contact codes', field);
}

/** As `domainImport`, and then removes every other domain. Asks before many of them go. */
function domainReplacement(
  options: RemovalOptions,
): Import<DomainRecord, 'created' | 'updated' | 'removed'> {
  return {
    ...domainImport,
    async write(registry, records) {
      const { db, origin, isDryRun } = registry;
      const wanted = new Set(records.map(({ name }) => name));
      const names = await allRows<string, string>(
        (page) => listDomainNames(db, page),
        (name) => name,
      );
      const others = names.filter((name) => !wanted.has(name));
      const removals = { removed: others.length, total: names.length, one: 'domain' };
      if (!isDryRun) await confirmRemovals(removals, options);
      const counts = await domainImport.write(registry, records);
      const remove = async (chunk: string[]) => ({
        removed: await removeDomains(db, origin, chunk, { isDryRun }),
      });
      return { ...counts, ...(await writeInChunks('removing', others, { removed: 0 }, remove)) };
    },
    text: (counts, registry) =>
      `${domainImport.text(counts, registry)}; ${registry.did('remove')} ${counts.removed}`,
  };
}

const importVerb = importing(
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

const list = verb(
  reading('list', 'domain list --contact ALPHA:1B7A3C5D')
    .description('List the domains that refer to a contact')
    .requiredOption('--contact <code>', 'the contact'),
  async ({ db }, options) => {
    const domains = await allRows<DomainOfContact, string>(
      (page) => listDomainsOfContact(db, options.contact, page),
      ({ name }) => name,
    );
    return {
      data: {
        domains: domains.map(({ name, punycode, registrar, roles }) => ({
          name,
          punycode_name: punycode,
          registrar,
          roles,
        })),
      },
      text: table(domains, `no domain refers to ${options.contact}`, {
        NAME: 'name',
        REGISTRAR: 'registrar',
        AS: 'roles',
      }),
    };
  },
);

const show = verb(
  reading('show', 'domain show õunaaed.ee')
    .description('Show a domain and its contacts')
    .argument('<name>', 'the name in its Unicode form, lower case'),
  async ({ db }, text) => {
    const { name, punycode } = parseDomainName(text);
    const { registrar, registrant, admin, tech, createdAt } = await getDomain(db, name);
    const data = {
      ...{ name, punycode_name: punycode, registrar, registrant, admin, tech },
      created_at: createdAt,
    };
    return { data: { domain: data }, text: fieldLines(data) };
  },
);

const remove = verb(
  writing('remove', 'domain remove õunaaed.ee')
    .description('Remove domains, so that they no longer link their contacts')
    .argument('<name...>', 'names in their Unicode form, lower case')
    .addOption(maxRemovalsOption()),
  async ({ db, origin, isDryRun, did }, texts, options) => {
    const names = parseAnyNames(texts).map(({ name }) => name);
    if (!isDryRun) {
      const removed = await removeDomains(db, origin, names, { isDryRun: true });
      await confirmRemovals({ removed, total: await countDomains(db), one: 'domain' }, options);
    }
    const removed = await removeDomains(db, origin, names, { isDryRun });
    const unchanged = names.length - removed;
    return {
      data: { removed, unchanged, changed: removed > 0 && !isDryRun },
      text: `${did('remove')} ${counted(removed, 'domain')}, ${unchanged} not there`,
    };
  },
);

export const domainCommand = noun('domain', 'domain import domains.csv', [
  importVerb,
  list,
  show,
  remove,
]);
