import { Option } from '@commander-js/extra-typings';
import { everyRow } from '../../../database/every-row.ts';
import type { Database } from '../../../database/open.ts';
import {
  countDomains,
  type DomainOfContact,
  type ListedDomain,
  listDomains,
  listDomainsOfContact,
} from '../../../domain/list.ts';
import { getDomain } from '../../../domain/read.ts';
import { removeDomains } from '../../../domain/remove.ts';
import { transferDomain } from '../../../domain/transfer.ts';
import { updateDomain } from '../../../domain/update.ts';
import { findNewestId } from '../../../history/search.ts';
import { checkRegistrar } from '../../../registrar/account.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { noun, reading, usageError, writing } from '../../command.ts';
import { parseAnyNames, parseName } from '../../names.ts';
import { reportOfChange } from '../../report/changes.ts';
import { confirm, confirmedRemoval, maxRemovalsOption } from '../../report/confirm.ts';
import { counted, fieldLines, listReport } from '../../report/text.ts';
import { type Report, verb } from '../../run.ts';
import { domainExportVerb, domainImportVerb } from './file.ts';

const list = verb(
  reading('list', 'domain list --registrar ALPHA', 'domain list --contact ALPHA:1B7A3C5D')
    .description('List the domains, or those of a registrar, or those that refer to a contact')
    .option('--registrar <code>', "only this registrar's domains", asciiUpperCase)
    .addOption(
      new Option(
        '--contact <code>',
        'only domains that refer to this contact, and as what',
      ).conflicts('registrar'),
    ),
  async ({ db }, { registrar, contact }) => {
    if (contact !== undefined) return domainsOfContact(db, contact);
    await checkRegistrar(db, registrar);
    const domains = everyRow<ListedDomain>((page) => listDomains(db, page, registrar));
    const shown = await Array.fromAsync(domains, (domain) => {
      const { name, punycode, registrar, registrant, admin, tech } = domain;
      return { name, punycode_name: punycode, registrar, registrant, admin, tech };
    });
    const columns = ['name', 'registrar', 'registrant', 'admin', 'tech'] as const;
    return listReport('domains', shown, 'there are no such domains', columns);
  },
);

async function domainsOfContact(db: Database, contact: string): Promise<Report> {
  const domains = everyRow<DomainOfContact>((page) => listDomainsOfContact(db, contact, page));
  const shown = await Array.fromAsync(domains, ({ name, punycode, registrar, roles }) => {
    return { name, punycode_name: punycode, registrar, roles };
  });
  return listReport('domains', shown, `no domain refers to ${contact}`, {
    NAME: 'name',
    REGISTRAR: 'registrar',
    AS: 'roles',
  });
}

const show = verb(
  reading('show', 'domain show õunaaed.ee')
    .description('Show a domain and its contacts')
    .argument('<name>', 'the name'),
  async ({ db }, text) => {
    const { name, punycode } = parseName(text);
    const { registrar, registrant, admin, tech, createdAt } = await getDomain(db, name);
    const data = {
      name,
      punycode_name: punycode,
      registrar,
      registrant,
      admin,
      tech,
      created_at: createdAt,
    };
    return { data: { domain: data }, text: fieldLines(data) };
  },
);

const update = verb(
  writing(
    'update',
    'domain update õunaaed.ee --registrant ALPHA:1B7A3C5D',
    'domain update õunaaed.ee --admin ALPHA:1B7A3C5D ALPHA:2C8B4D6E --tech ""',
  )
    .description('Give a domain other contacts; a role that is not given keeps its own')
    .argument('<name>', 'the name')
    .option('--registrant <code>', 'the contact that holds the domain')
    .option('--admin <code...>', "all its administrative contacts; '' for none")
    .option('--tech <code...>', "all its technical contacts; '' for none")
    .hook('preAction', (command) => {
      const { registrant, admin, tech } = command.opts();
      if (registrant === undefined && !admin && !tech) {
        throw usageError('nothing to change: give --registrant, --admin or --tech');
      }
    }),
  async (registry, text, { registrant, admin, tech }) => {
    const { db, origin, isDryRun } = registry;
    const name = parseName(text);
    const contacts = {
      ...(registrant !== undefined && { registrant }),
      ...(admin && { admin: admin.filter((code) => code !== '') }),
      ...(tech && { tech: tech.filter((code) => code !== '') }),
    };
    const recorded = await updateDomain(db, origin, name, contacts, { isDryRun });
    return reportOfChange(registry, `domain ${name.name}`, recorded, { name: name.name });
  },
);

const remove = verb(
  writing('remove', 'domain remove õunaaed.ee')
    .description('Remove domains, so that they no longer link their contacts')
    .argument('<name...>', 'the names')
    .addOption(maxRemovalsOption()),
  async (registry, texts, options) => {
    const { db, origin, isDryRun, did } = registry;
    const names = parseAnyNames(texts).map(({ name }) => name);
    const all = { one: 'domain', countAll: () => countDomains(db) };
    const { removed } = await confirmedRemoval(registry, options, all, (how) =>
      removeDomains(db, origin, names, how),
    );
    const unchanged = names.length - removed;
    return {
      data: { removed, unchanged, changed: removed > 0 && !isDryRun },
      text: `${did('remove')} ${counted(removed, 'domain')}, ${unchanged} not there`,
    };
  },
);

const transfer = verb(
  writing('transfer', 'domain transfer õunaaed.ee --to BETA')
    .description(
      'Give a domain to another registrar, with copies of its contacts of other registrars',
    )
    .argument('<name>', 'the name')
    .requiredOption('--to <registrar>', 'the registrar that gets it', asciiUpperCase),
  async ({ db, origin, isDryRun }, text, { to, yes }) => {
    const name = parseName(text);
    const seen = await findNewestId(db);
    const { registrar: from } = await getDomain(db, name.name);
    const would = await transferDomain(db, origin, name, to, { isDryRun: true });
    const isChange = from !== to && !isDryRun;
    const copied = counted(Object.keys(would.copies).length, 'contact');
    const statement = `This transfers ${name.name} from ${from} to ${to} and copies ${copied}.`;
    if (isChange && !yes) await confirm(statement);
    const domain = isChange ? await transferDomain(db, origin, name, to, { seen }) : would;
    const { copies, notified: _, createdAt: __, ...contacts } = domain;
    const done = `${isDryRun ? 'would transfer' : 'transferred'} domain ${name.name} from ${from} to ${to}, with copies of ${copied}`;
    return {
      data: {
        domain: { name: name.name, ...contacts },
        ...(!isDryRun && { copies }),
        changed: isChange,
      },
      text: from === to ? `nothing to change: domain ${name.name} already belongs to ${to}` : done,
    };
  },
);

export const domainCommand = noun('domain', 'domain import domains.csv', [
  list,
  show,
  update,
  remove,
  transfer,
  domainImportVerb,
  domainExportVerb,
]).description('Domains and the contacts they link');
