import { updateAnyContact } from '../../contact/administer.ts';
import { type ContactChanges, contactColumns } from '../../contact/fields.ts';
import { type Problem, throwProblems } from '../../error.ts';
import { asciiUpperCase } from '../../text/ascii-case.ts';
import { isBlank } from '../../text/field.ts';
import { usageError, writing } from '../command.ts';
import { run } from '../run.ts';
import { reportOfChange } from './changed.ts';

/** What a registrar may change, by the names of the options. */
const options = contactColumns.flatMap(([column, field]) =>
  field.rule && field.file && field.group !== 'identity' && field.sentBy.includes('registrar')
    ? [{ ...field, column, file: field.file, rule: field.rule }]
    : [],
);

export const command = withFields(
  writing(
    'contact update ALPHA:1B7A3C5D --phone +372.5123456',
    "contact update ALPHA:1B7A3C5D --fax ''",
  ).argument('<code>', 'the contact'),
).action((code, values) =>
  run(values, async (registry) => {
    const { db, origin, isDryRun } = registry;
    const changes = readChanges(values);
    if (Object.keys(changes).length === 0) {
      throw usageError('nothing to change: give at least one field, for example --phone');
    }
    const recorded = await updateAnyContact(db, origin, code, changes, { isDryRun });
    return reportOfChange(registry, asciiUpperCase(code), recorded);
  }),
);

function withFields<Given extends { option(flags: string, description: string): unknown }>(
  given: Given,
): Given {
  for (const { file, isRequired } of options) {
    const description = `its new ${file.replaceAll('_', ' ')}${isRequired ? '' : "; '' clears it"}`;
    given.option(`--${file.replaceAll('_', '-')} <value>`, description);
  }
  return given;
}

/** The changes that the options ask for. Throws everything that is wrong with them. */
function readChanges(values: object): ContactChanges {
  const problems: Problem[] = [];
  const changes: Record<string, unknown> = {};
  for (const { column, file, rule, isRequired } of options) {
    const name = file.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = (values as Record<string, unknown>)[name];
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
