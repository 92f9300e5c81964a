import { Option } from '@commander-js/extra-typings';
import { claims } from '../../../../drizzle/schema.ts';
import {
  type ContactDeletion,
  deleteAnyContact,
  getContactByCode,
  listContactsBy,
  listDeletedContactsBy,
} from '../../../contact/administer.ts';
import { type ContactWithRegistrar, statusesOf, versionOf } from '../../../contact/contact.ts';
import { contactColumns, contactFields, verificationColumn } from '../../../contact/fields.ts';
import { transferContact } from '../../../contact/transfer.ts';
import { everyRow } from '../../../database/every-row.ts';
import { retried } from '../../../database/retry.ts';
import { type DomainOfContact, listDomainsOfContact } from '../../../domain/list.ts';
import { checkRegistrar } from '../../../registrar/account.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { dayOf } from '../../../time/day.ts';
import { noun, reading, usageError, writing } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { confirm, confirmedChange } from '../../report/confirm.ts';
import { fieldLines, listReport } from '../../report/text.ts';
import { verb } from '../../run.ts';
import { demand } from './demand.ts';
import { erase } from './erase.ts';
import { eraseAgain } from './erase-again.ts';
import { exportVerb, importVerb } from './file.ts';
import { printInvalid } from './invalid.ts';
import { status, update } from './update.ts';

const list = verb(
  reading('list', 'contact list --registrar ALPHA', 'contact list --ident 38001085718 --json')
    .description('List contacts by registrar, identity code, email or name')
    .option('--registrar <code>', "only this registrar's contacts", asciiUpperCase)
    .option('--ident <code>', 'only contacts with this identity code')
    .option('--email <address>', 'only contacts with this address')
    .option('--name <text>', 'only contacts whose name contains this, in any case')
    .option(
      '--invalid',
      "only contacts with values that today's rules refuse: each with its reason",
    )
    .option('--unverified', 'only contacts whose identity is not verified')
    .option('--overdue', 'only contacts with a demand for verification that is overdue')
    .addOption(
      new Option(
        '--deleted',
        'deleted contacts with the identity code of --ident, as far as the history has it',
      ).conflicts(['email', 'name', 'invalid', 'unverified', 'overdue']),
    )
    .hook('preAction', (command) => {
      const { deleted, ident } = command.opts();
      if (deleted && ident === undefined) throw usageError('--deleted belongs to --ident');
    })
    .addHelpText(
      'after',
      '\nWith --invalid and --json, the answer is NDJSON, one contact on each line.',
    ),
  async (registry, options) => {
    const { registrar, ident, email, name, deleted, invalid, unverified, overdue } = options;
    if (!deleted) await checkRegistrar(registry.db, registrar);
    const criteria = {
      registrar,
      ident,
      email,
      name,
      isUnverified: unverified,
      ...(overdue && { overdueOn: dayOf(registry.origin.request.at) }),
    };
    if (deleted) return deletedReport(registry, { registrar, ident: ident! });
    if (invalid) {
      await printInvalid(registry, criteria, options);
      return undefined;
    }
    const contacts = everyRow<ContactWithRegistrar>((page) =>
      listContactsBy(registry.db, criteria, page),
    );
    const shown = await Array.fromAsync(contacts, contactData);
    return listReport('contacts', shown, 'there are no such contacts', {
      CODE: 'code',
      NAME: 'name',
      IDENT: ({ ident_country_code, ident }) => `${ident_country_code} ${ident}`,
      EMAIL: 'email',
      STATUSES: 'statuses',
    });
  },
);

async function deletedReport(
  { db }: Registry,
  criteria: { ident: string; registrar?: string | undefined },
) {
  const contacts = everyRow<ContactDeletion>((page) => listDeletedContactsBy(db, criteria, page));
  const shown = await Array.fromAsync(contacts, ({ id: _, deletedAt, ...others }) => ({
    ...others,
    deleted_at: deletedAt,
  }));
  return listReport('contacts', shown, 'there are no such contacts', {
    CODE: 'code',
    UUID: 'uuid',
    REGISTRAR: 'registrar',
    DELETED: 'deleted_at',
  });
}

const show = verb(
  reading('show', 'contact show ALPHA:1B7A3C5D')
    .description('Show a contact and the domains that refer to it')
    .argument('<code>', 'the contact', parseContactKey),
  async ({ db }, code) => {
    const contact = await retried(() => getContactByCode(db, code));
    const domains = everyRow<DomainOfContact>((page) => listDomainsOfContact(db, code, page));
    const names = await Array.fromAsync(domains, ({ name }) => name);
    const data = { ...contactData(contact), domains: names };
    return {
      data: { contact: data },
      text: fieldLines({ ...data, ...verificationLines(contact) }),
    };
  },
);

/** What was checked and what is asked for, in the words of the lines in which a contact is shown. */
function verificationLines(contact: ContactWithRegistrar): Record<string, string> {
  const { verificationDemand: demand, identityRequest: request } = contact;
  const checks = claims.flatMap((claim) => {
    const column = verificationColumn[claim];
    const check = contact[column];
    if (!check) return [];
    const { result, method, framework, reference, verified_at: at, verified_by: by } = check;
    const how = [method, framework, reference].filter((one) => one !== null).join(', ');
    const text = `${result} (${how}) at ${at}${by === null ? '' : `, by ${by}`}`;
    return [[contactFields[column].file, text]];
  });
  const waiting = request?.pending && `; waits for the registrar since ${request.pending.since}`;
  return {
    ...Object.fromEntries(checks),
    ...(demand && { verification_demand: `${demand.claims.join(', ')} by ${demand.by}` }),
    ...(request && {
      identity_request: `${request.id}, sent at ${request.sent_at}${waiting ?? ''}`,
    }),
  };
}

/** A contact under the names of an export, with the statuses that the interfaces show. */
function contactData(contact: ContactWithRegistrar): Record<string, unknown> {
  const fields = contactColumns.flatMap(([column, { file }]) =>
    file === null ? [] : [[file, contact[column]] as const],
  );
  return {
    registrar: contact.registrar,
    ...Object.fromEntries(fields),
    statuses: statusesOf(contact),
  };
}

const remove = verb(
  writing('delete', 'contact delete ALPHA:1B7A3C5D')
    .description('Delete a contact that no domain refers to')
    .argument('<code>', 'the contact', parseContactKey),
  async (registry, text, options) => {
    const { db, isDryRun, did } = registry;
    const code = asciiUpperCase(text);
    await confirmedChange(
      registry,
      options,
      (origin, how) => deleteAnyContact(db, origin, code, how),
      (lost) => {
        const values = (['name', 'ident', 'email'] as const).map((field) => {
          const change = lost[field];
          return change && 'from' in change ? change.from : '';
        });
        return `This deletes contact ${code} (${values.join(', ')}).`;
      },
    );
    return { data: { code, changed: !isDryRun }, text: `${did('delete')} contact ${code}` };
  },
);

const transfer = verb(
  writing('transfer', 'contact transfer ALPHA:1B7A3C5D --to BETA')
    .description(
      'Give a contact to another registrar, under its code; refused while a domain refers to it',
    )
    .argument('<code>', 'the contact', parseContactKey)
    .requiredOption('--to <registrar>', 'the registrar that gets it', asciiUpperCase),
  async ({ db, origin, isDryRun }, text, { to, yes }) => {
    const contact = await transferContact(db, origin, text, to, { isDryRun: true });
    const { code, registrar: from } = contact;
    const isChange = from !== to;
    const statement = `This transfers contact ${code} (${contact.name}) from ${from} to ${to}.`;
    if (isChange && !isDryRun) {
      if (!yes) await confirm(statement);
      await transferContact(db, origin, code, to, { seen: versionOf(contact) });
    }
    const done = `${isDryRun ? 'would transfer' : 'transferred'} contact ${code} from ${from} to ${to}`;
    return {
      data: { code, registrar: to, changed: isChange && !isDryRun },
      text: isChange ? done : `nothing to change: contact ${code} already belongs to ${to}`,
      undo: ['contact', 'transfer', code, '--to', from],
    };
  },
);

export const contactCommand = noun('contact', 'contact list --registrar ALPHA', [
  list,
  show,
  update,
  status,
  demand,
  remove,
  transfer,
  importVerb,
  exportVerb,
  erase,
  eraseAgain,
]).description('Contacts, with their codes, UUIDs, timestamps and legacy ids');
