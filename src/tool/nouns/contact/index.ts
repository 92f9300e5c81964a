import { Option } from '@commander-js/extra-typings';
import { everyRow } from '../../../base/database/every-row.ts';
import { retry } from '../../../base/database/retry.ts';
import { asciiUpperCase } from '../../../base/text/ascii-case.ts';
import { dayOf } from '../../../base/time/day.ts';
import {
  type ContactWithRegistrar,
  getContactByCode,
  versionOf,
} from '../../../contact/contact.ts';
import {
  type ContactCriteria,
  type ContactDeletion,
  deleteAnyContact,
  listContactsBy,
  listDeletedContactsBy,
} from '../../../contact/operator/administer.ts';
import { identifyContact } from '../../../contact/operator/erase.ts';
import { listLooks } from '../../../contact/operator/looks.ts';
import { transferContact } from '../../../contact/operator/transfer.ts';
import { listDomainNames } from '../../../name/domain/operator/list.ts';
import { checkRegistrar } from '../../../party/registrar/operator/account.ts';
import { plain } from '../../../view/columns.ts';
import { contactsView, deletedContacts } from '../../../view/contact.ts';
import { noun, readCommand, usageError, writeCommand } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { confirm, confirmedChange } from '../../report/confirm.ts';
import { verb } from '../../run.ts';
import {
  csvOption,
  listCommand,
  listReport,
  listVerb,
  type RowView,
  showReport,
  streamRows,
} from '../../view.ts';
import { demand } from './demand.ts';
import { erase, eraseAgain } from './erase.ts';
import { exportVerb, importVerb } from './file.ts';
import { invalidContacts } from './invalid.ts';
import { rekey } from './rekey.ts';
import { status, update } from './update.ts';

interface Chosen {
  registrar?: string;
  ident?: string;
  email?: string;
  name?: string;
  unverified?: true;
  overdue?: true;
}

const contacts: RowView<ContactWithRegistrar, [Chosen]> = {
  ...contactsView,
  async *read(registry, chosen) {
    const criteria = await criteriaOf(registry, chosen);
    yield* everyRow<ContactWithRegistrar>((page) => listContactsBy(registry.db, criteria, page));
  },
};

async function criteriaOf({ db, origin }: Registry, chosen: Chosen): Promise<ContactCriteria> {
  const { unverified: isUnverified, overdue, ...others } = chosen;
  await checkRegistrar(db, chosen.registrar);
  return { ...others, isUnverified, ...(overdue && { overdueOn: dayOf(origin.request.at) }) };
}

const deleted: RowView<ContactDeletion, [Chosen]> = {
  ...deletedContacts,
  read: ({ db }, { ident, email, registrar }) =>
    everyRow<ContactDeletion>((page) =>
      listDeletedContactsBy(db, { ident, email, registrar }, page),
    ),
};

const formerNames = 'names of deleted contacts and former names are not searched';

const list = verb(
  listCommand('List contacts', 'contact list --ident 38001085718 --json')
    .option('--registrar <code>', "only this registrar's contacts", asciiUpperCase)
    .option('--ident <code>', 'only contacts with this identity code')
    .option('--email <address>', 'only contacts with this address')
    .option(
      '--name <text>',
      'only contacts whose name contains these words, with or without accents',
    )
    .option('--invalid', "only contacts with values that today's rules refuse; JSON is NDJSON")
    .option('--unverified', 'only contacts whose identity is not verified')
    .option('--overdue', 'only contacts with a demand for verification that is overdue')
    .addOption(
      new Option(
        '--deleted',
        'contacts that had --ident until they were deleted or corrected, or --email until deleted or changed',
      ).conflicts(['name', 'invalid', 'unverified', 'overdue']),
    )
    .hook('preAction', (command) => {
      const { deleted, ident, email } = command.opts();
      if (deleted && (ident ?? email) === undefined) {
        throw usageError('--deleted belongs to --ident or --email');
      }
    }),
  async (registry, options) => {
    if (options.deleted) return listReport(deleted, registry, options);
    if (!options.invalid) {
      const report = await listReport(contacts, registry, options);
      const isMiss = options.name !== undefined && [report.data.contacts].flat().length === 0;
      return { ...report, text: [report.text, ...(isMiss ? [formerNames] : [])].flat() };
    }
    const criteria = await criteriaOf(registry, options);
    return streamRows(invalidContacts.read(registry, criteria), invalidContacts, options);
  },
);

const show = verb(
  readCommand('show', 'contact show ALPHA:1B7A3C5D')
    .description('Show a contact and the domains that refer to it')
    .argument('<code>', 'the contact', parseContactKey),
  async ({ db }, code) => {
    const contact = await retry(() => getContactByCode(db, code));
    const ofContact = { contact: contact.code };
    const every = everyRow<{ name: string }>((page) => listDomainNames(db, page, ofContact));
    const names = await Array.fromAsync(every, ({ name }) => name);
    return showReport('contact', { ...contactsView.columns, domains: () => names }, contact);
  },
);

const looks = listVerb(
  {
    name: 'looks',
    columns: plain('lookedAt', 'lookedBy'),
    table: 'looked_at looked_by',
    async read({ db }, contact) {
      return listLooks(db, [(await identifyContact(db, contact)).uuid], 10_000);
    },
  },
  readCommand('looks', 'contact looks ALPHA:1B7A3C5D')
    .description("List who looked at a contact on the staff's desk")
    .argument('<code|uuid>', 'the contact, even a deleted one', parseContactKey)
    .addOption(csvOption()),
);

const remove = verb(
  writeCommand('delete', 'contact delete ALPHA:1B7A3C5D')
    .description('Delete a contact that no domain refers to')
    .argument('<code>', 'the contact', parseContactKey),
  async (registry, code, options) => {
    const { did } = registry;
    await confirmedChange(
      registry,
      options,
      (operation) => deleteAnyContact(operation, code),
      (lost) => {
        const values = (['name', 'ident', 'email'] as const).map((field) => {
          const change = lost[field];
          return change && 'from' in change ? change.from : '';
        });
        return `This deletes contact ${code} (${values.join(', ')}).`;
      },
    );
    return { data: { code }, text: `${did('delete')} contact ${code}` };
  },
);

const transfer = verb(
  writeCommand('transfer', 'contact transfer ALPHA:1B7A3C5D --to BETA')
    .description('Give a contact to which no domain refers to another registrar')
    .argument('<code>', 'the contact', parseContactKey)
    .requiredOption('--to <registrar>', 'the registrar that gets it', asciiUpperCase),
  async (registry, code, { to, yes }) => {
    const { isDryRun, did } = registry;
    const contact = await transferContact({ ...registry, isDryRun: true }, code, to);
    const { registrar: from } = contact;
    const changed = from !== to;
    if (changed && !isDryRun) {
      const statement = `This transfers contact ${code} (${contact.name}) from ${from} to ${to}.`;
      if (!yes) await confirm(statement);
      await transferContact(registry, code, to, versionOf(contact));
    }
    return {
      data: { code, registrar: to, changed },
      text: changed
        ? `${did('transfer', 'transferred')} contact ${code} from ${from} to ${to}`
        : `nothing to change: contact ${code} already belongs to ${to}`,
      undo: ['contact', 'transfer', code, '--to', from],
    };
  },
);

const changing = [update, status, demand, remove, transfer, erase, eraseAgain];
const verbs = [list, show, looks, ...changing, rekey, importVerb, exportVerb];
export const contactCommand = noun('contact', 'Contacts', verbs);
