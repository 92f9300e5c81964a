import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type ContactStatus, contactStatuses } from '../../../../drizzle/schema.ts';
import { type Problem, throwProblems } from '../../../base/error.ts';
import { expectedSentence, isBlank } from '../../../base/text/field.ts';
import { getContactByCode } from '../../../contact/contact.ts';
import { disputedSentence, findDisputedDomains, isOtherPerson } from '../../../contact/disputed.ts';
import {
  type ContactChanges,
  type ContactIdentity,
  contactColumns,
} from '../../../contact/fields.ts';
import { changeContactStatuses, updateAnyContact } from '../../../contact/operator/administer.ts';
import { storedValues } from '../../../contact/update.ts';
import { changeTexts, reportOfChange } from '../../../view/changes.ts';
import { parseList, requireOneOf, usageError, writeCommand } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { confirmedChange } from '../../report/confirm.ts';
import { verb } from '../../run.ts';

const changeable = contactColumns.flatMap(([column, field]) => {
  const { rule, file, isRequired } = field;
  if (!rule || !file || !field.sentBy.includes('registrar')) return [];
  const isIdentity = field.group === 'identity';
  const clearing = column === 'authInfo' ? "; '' draws a new one" : "; '' clears it";
  const note = isIdentity ? '; asks first' : isRequired ? '' : clearing;
  const flag = `--${file.replaceAll('_', '-')}`;
  const option = new Option(`${flag} <value>`, `its new ${file.replaceAll('_', ' ')}${note}`);
  return [{ column, file, rule, isRequired, isIdentity, flag, option }];
});

const updating = writeCommand(
  'update',
  "contact update ALPHA:1B7A3C5D --phone +372.5123456 --fax ''",
)
  .description('Change fields of a contact')
  .argument('<code>', 'the contact', parseContactKey)
  .hook('preAction', requireOneOf(...changeable.map(({ flag }) => flag)));
for (const { option } of changeable) updating.addOption(option);

export const update = verb(updating, async (registry, code, options) => {
  const changes = readChanges(options);
  const isIdentity = changeable.some((field) => field.isIdentity && field.column in changes);
  const notes = isIdentity ? await disputeNotes(registry, code, changes) : [];
  const recorded = isIdentity
    ? await confirmedChange(
        registry,
        options,
        (operation) => updateAnyContact(operation, code, changes),
        (would) => {
          const text = changeTexts(would).join('; ');
          const lines = [`This changes whose contact it is: ${text}.`, ...notes];
          return text ? lines : undefined;
        },
      )
    : await updateAnyContact(registry, code, changes);
  const report = reportOfChange(registry, `contact ${code}`, recorded, { code });
  return { ...report, text: [report.text, ...notes].join('; ') };
});

/** Says which disputed domains another person would get. */
async function disputeNotes({ db, origin }: Registry, code: string, changes: ContactChanges) {
  const contact = await getContactByCode(db, code);
  const values = storedValues(contact, changes);
  if (!isOtherPerson(contact, values)) return [];
  const found = await findDisputedDomains(db, [contact.uuid], origin.request.at);
  const sentence = disputedSentence(found);
  return sentence === undefined ? [] : [`note: ${sentence}, which the contact holds`];
}

/** Throws all problems of the options. */
function readChanges(values: object): ContactChanges & Partial<ContactIdentity> {
  const problems: Problem[] = [];
  const changes: Record<string, unknown> = {};
  for (const { column, file, rule, option, isRequired } of changeable) {
    const value = (values as Record<string, unknown>)[option.attributeName()];
    if (value === undefined) continue;
    const isClearing = isBlank(value) && !isRequired;
    const { data = null, error } = isClearing ? {} : rule().safeParse(value);
    const [issue] = error?.issues ?? [];
    const detail = expectedSentence(rule(), issue);
    if (issue) problems.push({ reason: 'invalid', message: issue.message, field: file, detail });
    else changes[column] = data;
  }
  throwProblems(problems);
  // Each value has passed the rule of its column.
  return changes as ContactChanges & Partial<ContactIdentity>;
}

export const status = verb(
  writeCommand('status', 'contact status ALPHA:1B7A3C5D --add serverUpdateProhibited --note "12-3"')
    .description('Add statuses to a contact or remove them')
    .argument('<code>', 'the contact', parseContactKey)
    .addOption(
      new Option('--add <status...>', 'statuses to add')
        .choices(contactStatuses)
        .argParser(parseStatuses),
    )
    .option('--remove <status...>', 'statuses to take away, with their notes', parseList)
    .option('--note <text>', 'why the statuses are added')
    .hook('preAction', requireOneOf('--add', '--remove'))
    .hook('preAction', (command) => {
      const { add, note } = command.opts();
      if (note !== undefined && !add) throw usageError('--note belongs to --add');
    }),
  async (registry, code, { add = [], remove = [], note }) => {
    const statuses = { add, remove, note };
    const recorded = await changeContactStatuses(registry, code, statuses);
    return reportOfChange(registry, `contact ${code}`, recorded, { code });
  },
);

function parseStatuses(text: string, before: readonly ContactStatus[] = []): ContactStatus[] {
  const isStatus = (word: string): word is ContactStatus =>
    contactStatuses.some((one) => one === word);
  const words = parseList(text);
  if (words.every(isStatus)) return [...before, ...words];
  throw new InvalidArgumentError(`Allowed choices are ${contactStatuses.join(', ')}.`);
}
