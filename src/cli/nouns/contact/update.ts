import { Option } from '@commander-js/extra-typings';
import { contactStatuses } from '../../../../drizzle/schema.ts';
import { changeContactStatuses, updateAnyContact } from '../../../contact/administer.ts';
import {
  type ContactChanges,
  type ContactIdentity,
  contactColumns,
} from '../../../contact/fields.ts';
import { type Problem, throwProblems } from '../../../error.ts';
import type { Changes } from '../../../history/changes.ts';
import { asciiUpperCase } from '../../../text/ascii-case.ts';
import { isBlank } from '../../../text/field.ts';
import { usageError, writing } from '../../command.ts';
import { parseContactKey } from '../../names.ts';
import type { Registry } from '../../registry.ts';
import { changeTexts, reportOfChange } from '../../report/changes.ts';
import { confirmedChange } from '../../report/confirm.ts';
import { type Report, verb } from '../../run.ts';

/** The fields that a registrar may set, each with its option. Only the operator may correct an identity. */
const changeable = contactColumns.flatMap(([column, field]) => {
  const { rule, file, isRequired } = field;
  if (!rule || !file || !field.sentBy.includes('registrar')) return [];
  const isIdentity = field.group === 'identity';
  const clearing = column === 'authInfo' ? "; '' draws a new one" : "; '' clears it";
  const note = isIdentity ? '; asks first' : isRequired ? '' : clearing;
  const option = new Option(
    `--${file.replaceAll('_', '-')} <value>`,
    `its new ${file.replaceAll('_', ' ')}${note}`,
  );
  return [{ column, file, rule, isRequired, isIdentity, option }];
});

const updating = writing(
  'update',
  'contact update ALPHA:1B7A3C5D --phone +372.5123456',
  "contact update ALPHA:1B7A3C5D --fax ''",
  'contact update ALPHA:1B7A3C5D --ident 12345678 --ident-type org',
)
  .description('Change fields of a contact')
  .argument('<code>', 'the contact', parseContactKey)
  .hook('preAction', (command) => {
    if (changeable.some(({ option }) => option.attributeName() in command.opts())) return;
    throw usageError('nothing to change: give at least one field, for example --phone');
  });
for (const { option } of changeable) updating.addOption(option);

export const update = verb(updating, async (registry, code, options) => {
  const { db, origin, isDryRun } = registry;
  const changes = readChanges(options);
  const isIdentity = changeable.some((field) => field.isIdentity && field.column in changes);
  const recorded = isIdentity
    ? await confirmedChange(
        registry,
        options,
        (origin, how) => updateAnyContact(db, origin, code, changes, how),
        (would) => {
          const text = changeTexts(would).join('; ');
          return text ? `This changes whose contact it is: ${text}.` : undefined;
        },
      )
    : await updateAnyContact(db, origin, code, changes, { isDryRun });
  return reportOfContact(registry, code, recorded);
});

/** Throws everything that is wrong with the options. */
function readChanges(values: object): ContactChanges & Partial<ContactIdentity> {
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
  return changes as ContactChanges & Partial<ContactIdentity>;
}

export const status = verb(
  writing(
    'status',
    'contact status ALPHA:1B7A3C5D --add serverUpdateProhibited --note "court order 12-3"',
    'contact status ALPHA:1B7A3C5D --remove serverUpdateProhibited',
  )
    .description('Add statuses to a contact or remove them')
    .argument('<code>', 'the contact', parseContactKey)
    .addOption(new Option('--add <status...>', 'statuses to add').choices(contactStatuses))
    .option('--remove <status...>', 'statuses to take away, with their notes')
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
  return reportOfChange(registry, `contact ${code}`, recorded, { code });
}
