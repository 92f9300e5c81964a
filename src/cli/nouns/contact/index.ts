import { Option } from '@commander-js/extra-typings';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import {
  type AdministeredContact,
  changeContactStatuses,
  deleteAnyContact,
  getContactByCode,
  listContactsBy,
  updateAnyContact,
} from '../../../contact/administer.ts';
import { statusesOf } from '../../../contact/contact.ts';
import { type ContactChanges, contactColumns } from '../../../contact/fields.ts';
import { retried } from '../../../database/retry.ts';
import { type DomainOfContact, listDomainsOfContact } from '../../../domain/list.ts';
import { type Problem, throwProblems } from '../../../error.ts';
import type { Changes } from '../../../history/changes.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { isBlank } from '../../../text/field.ts';
import { reportOfChange } from '../../change.ts';
import { noun, reading, usageError, writing } from '../../command.ts';
import { confirmedChange } from '../../confirm.ts';
import { allRows } from '../../pages.ts';
import type { Registry } from '../../registry.ts';
import { type Report, verb } from '../../run.ts';
import { fieldLines, table } from '../../text.ts';
import { erase } from './erase.ts';
import { exportVerb, importVerb } from './file.ts';

const list = verb(
  reading('list', 'contact list --registrar ALPHA', 'contact list --ident 38001085718 --json')
    .description('List contacts by registrar, identity code, email or name')
    .option('--registrar <code>', "only this registrar's contacts")
    .option('--ident <code>', 'only contacts with this identity code')
    .option('--email <address>', 'only contacts with this address')
    .option('--name <text>', 'only contacts whose name contains this'),
  async ({ db }, options) => {
    const { registrar, ident, email, name } = options;
    const contacts = await allRows<AdministeredContact, number>(
      (page) => listContactsBy(db, { registrar, ident, email, name }, page),
      ({ id }) => id,
    );
    return {
      data: { contacts: contacts.map(contactData) },
      text: table(contacts, 'there are no such contacts', {
        CODE: 'code',
        NAME: 'name',
        IDENT: ({ identCountryCode, ident }) => `${identCountryCode} ${ident}`,
        EMAIL: 'email',
        STATUSES: statusesOf,
      }),
    };
  },
);

const show = verb(
  reading('show', 'contact show ALPHA:1B7A3C5D')
    .description('Show a contact and the domains that refer to it')
    .argument('<code>', 'the contact'),
  async ({ db }, code) => {
    const contact = await retried(() => getContactByCode(db, code));
    const domains = await allRows<DomainOfContact, string>(
      (page) => listDomainsOfContact(db, code, page),
      ({ name }) => name,
    );
    const data = { ...contactData(contact), domains: domains.map(({ name }) => name) };
    return { data: { contact: data }, text: fieldLines(data) };
  },
);

/** A contact under the names of an export, with the statuses that the interfaces show. */
function contactData(contact: AdministeredContact): Record<string, unknown> {
  const fields = contactColumns.flatMap(([column, { file }]) =>
    file === null ? [] : [[file, contact[column]] as const],
  );
  return {
    registrar: contact.registrar,
    ...Object.fromEntries(fields),
    statuses: statusesOf(contact),
  };
}

/** The fields that a registrar may change, each with its option. */
const changeable = contactColumns.flatMap(([column, field]) => {
  const { rule, file, isRequired } = field;
  if (!rule || !file || field.group === 'identity' || !field.sentBy.includes('registrar'))
    return [];
  const description = `its new ${file.replaceAll('_', ' ')}${isRequired ? '' : "; '' clears it"}`;
  const option = new Option(`--${file.replaceAll('_', '-')} <value>`, description);
  return [{ column, file, rule, isRequired, option }];
});

const update = verb(
  withFields(
    writing(
      'update',
      'contact update ALPHA:1B7A3C5D --phone +372.5123456',
      "contact update ALPHA:1B7A3C5D --fax ''",
    )
      .description('Change fields of a contact')
      .argument('<code>', 'the contact')
      .hook('preAction', (command) => {
        if (changeable.some(({ option }) => option.attributeName() in command.opts())) return;
        throw usageError('nothing to change: give at least one field, for example --phone');
      }),
  ),
  async (registry, code, options) => {
    const { db, origin, isDryRun } = registry;
    const changes = readChanges(options);
    const recorded = await updateAnyContact(db, origin, code, changes, { isDryRun });
    return reportOfContact(registry, code, recorded);
  },
);

function withFields<Given extends { addOption(option: Option): unknown }>(given: Given): Given {
  for (const { option } of changeable) given.addOption(option);
  return given;
}

/** The changes that the options ask for. Throws everything that is wrong with them. */
function readChanges(values: object): ContactChanges {
  const problems: Problem[] = [];
  const changes: Record<string, unknown> = {};
  for (const { column, file, rule, option, isRequired } of changeable) {
    const value = (values as Record<string, unknown>)[option.attributeName()];
    if (value === undefined) continue;
    if (isBlank(value) && !isRequired) {
      changes[column] = null;
      continue;
    }
    const parsed = rule().safeParse(value);
    if (parsed.success) changes[column] = parsed.data;
    else
      problems.push({ reason: 'invalid', message: parsed.error.issues[0]!.message, field: file });
  }
  throwProblems(problems);
  // Each value has passed the rule of its column.
  return changes as ContactChanges;
}

const status = verb(
  writing(
    'status',
    'contact status ALPHA:1B7A3C5D --add serverUpdateProhibited --note "court order 12-3"',
    'contact status ALPHA:1B7A3C5D --remove serverUpdateProhibited',
  )
    .description('Add statuses to a contact or remove them')
    .argument('<code>', 'the contact')
    .addOption(new Option('--add <status...>', 'statuses to add').choices(contactStatuses))
    .addOption(
      new Option('--remove <status...>', 'statuses to take away, with their notes').choices(
        contactStatuses,
      ),
    )
    .option('--note <text>', 'why the statuses are added')
    .hook('preAction', (command) => {
      const { add, remove, note } = command.opts();
      if (!add && !remove) throw usageError('nothing to change: give --add or --remove');
      if (note !== undefined && !add) throw usageError('--note belongs to --add');
    }),
  async (registry, code, { add = [], remove = [], note }) => {
    const { db, origin, isDryRun } = registry;
    const statuses = { add, remove, note };
    const recorded = await changeContactStatuses(db, origin, code, statuses, { isDryRun });
    return reportOfContact(registry, code, recorded);
  },
);

function reportOfContact(registry: Registry, text: string, recorded: Changes): Report {
  const code = asciiUpperCase(text);
  const report = reportOfChange(registry, `contact ${code}`, recorded);
  return { ...report, data: { code, ...report.data } };
}

const remove = verb(
  writing('delete', 'contact delete ALPHA:1B7A3C5D')
    .description('Delete a contact that no domain refers to')
    .argument('<code>', 'the contact'),
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

export const contactCommand = noun('contact', 'contact list --registrar ALPHA', [
  list,
  show,
  update,
  status,
  remove,
  importVerb,
  exportVerb,
  erase,
]);
