import { everyRow } from '../../../base/database/every-row.ts';
import { retry } from '../../../base/database/retry.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { findNewestId } from '../../../change/history/search.ts';
import { getContactByCode } from '../../../contact/contact.ts';
import {
  countDomains,
  type ListedDomain,
  listDomains,
} from '../../../name/domain/operator/list.ts';
import { updateDomain } from '../../../name/domain/operator/update.ts';
import { getDomain } from '../../../name/domain/read.ts';
import { removeDomains } from '../../../name/domain/save.ts';
import { transferDomain } from '../../../name/domain/transfer.ts';
import { checkRegistrar } from '../../../party/registrar/operator/account.ts';
import { reportOfChange } from '../../../view/changes.ts';
import { domainsView } from '../../../view/domain.ts';
import { countText } from '../../../view/text.ts';
import {
  noun,
  parseList,
  readCommand,
  requireOneOf,
  splitList,
  writeCommand,
} from '../../command.ts';
import { parseContactKey, parseName, parseNames } from '../../names.ts';
import { confirm, confirmedRemoval, maxRemovalsOption } from '../../report/confirm.ts';
import { verb } from '../../run.ts';
import { listCommand, listVerb, type RowView, showReport } from '../../view.ts';
import { domainExportVerb, domainImportVerb } from './file.ts';

type Chosen = { registrar?: string; contact?: string };

const domains: RowView<ListedDomain, [Chosen]> = {
  ...domainsView,
  async *read({ db }, { registrar, contact }) {
    await checkRegistrar(db, registrar);
    if (contact !== undefined) await retry(() => getContactByCode(db, contact));
    yield* everyRow<ListedDomain>((page) => listDomains(db, page, { registrar, contact }));
  },
};

const list = listVerb(
  domains,
  listCommand('List the domains', 'domain list --contact ALPHA:1B7A3C5D')
    .option('--registrar <code>', "only this registrar's domains", asciiUpperCase)
    .option('--contact <code>', 'only those of this contact', parseContactKey),
);

const show = verb(
  readCommand('show', 'domain show õunaaed.ee')
    .description('Show a domain and its contacts')
    .argument('<name>', 'the name'),
  async ({ db }, text) => {
    const name = await parseName(db, text);
    const domain = { ...name, ...(await getDomain(db, name.name)) };
    return showReport(
      'domain',
      { ...domainsView.columns, created_at: () => domain.createdAt },
      domain,
    );
  },
);

const update = verb(
  writeCommand('update', 'domain update õunaaed.ee --admin ALPHA:1B7A3C5D ALPHA:2C8B4D6E --tech ""')
    .description('Give a domain other contacts; a role that is not given keeps its own')
    .argument('<name>', 'the name')
    .option('--registrant <code>', 'the contact that holds the domain')
    .option('--admin <code...>', "all its administrative contacts; '' for none", splitList)
    .option('--tech <code...>', "all its technical contacts; '' for none", splitList)
    .hook('preAction', requireOneOf('--registrant', '--admin', '--tech')),
  async (registry, text, { registrant, admin, tech }) => {
    const name = await parseName(registry.db, text);
    const contacts = {
      ...(registrant !== undefined && { registrant }),
      ...(admin && { admin }),
      ...(tech && { tech }),
    };
    const recorded = await updateDomain(registry, name, contacts);
    return reportOfChange(registry, `domain ${name.name}`, recorded, { name: name.name });
  },
);

const remove = verb(
  writeCommand('remove', 'domain remove õunaaed.ee')
    .description('Remove domains, so that they no longer link their contacts')
    .argument('<name...>', 'the names', parseList)
    .addOption(maxRemovalsOption()),
  async (registry, texts, options) => {
    const { db, did } = registry;
    const names = (await parseNames(db, texts)).map(({ name }) => name);
    const all = { one: 'domain', countAll: () => countDomains(db) };
    const { removed } = await confirmedRemoval(registry, options, all, (operation) =>
      removeDomains(operation, names),
    );
    const unchanged = names.length - removed;
    return {
      data: { removed, unchanged, changed: removed > 0 },
      text: `${did('remove')} ${countText(removed, 'domain')}, ${unchanged} not there`,
    };
  },
);

const transfer = verb(
  writeCommand('transfer', 'domain transfer õunaaed.ee --to BETA')
    .description('Give a domain to another registrar, with copies of its contacts')
    .argument('<name>', 'the name')
    .requiredOption('--to <registrar>', 'the registrar that gets it', asciiUpperCase),
  async (registry, text, { to, yes }) => {
    const { db, isDryRun, did } = registry;
    const name = await parseName(db, text);
    const { registrar: from } = await getDomain(db, name.name);
    const changed = from !== to;
    const copied = (copies: object) => countText(Object.keys(copies).length, 'contact');
    const seen = await findNewestId(db);
    const would = await transferDomain({ ...registry, isDryRun: true }, name, to);
    if (changed && !isDryRun && !yes) {
      await confirm(
        `This transfers ${name.name} from ${from} to ${to}, with copies of ${copied(would.copies)}.`,
      );
    }
    const done = isDryRun ? would : await transferDomain({ ...registry, seen }, name, to);
    const { copies, notified: _, createdAt: __, ...domain } = done;
    return {
      data: { domain: { name: name.name, ...domain }, ...(!isDryRun && { copies }), changed },
      text: changed
        ? `${did('transfer', 'transferred')} domain ${name.name} from ${from} to ${to}, with copies of ${copied(copies)}`
        : `nothing to change: domain ${name.name} already belongs to ${to}`,
    };
  },
);

const verbs = [list, show, update, remove, transfer, domainImportVerb, domainExportVerb];
export const domainCommand = noun('domain', 'Domains and the contacts they link', verbs);
