import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { writing } from '../command.ts';
import { type Columns, type Format, formats } from './format.ts';

/** The options of every import. */
export interface ImportOptions {
  format?: Format;
  skipInvalid?: true;
  rejected?: string;
  dryRun?: boolean;
}

/** The command `import` for a file with these columns. */
export function importing(columns: Columns, ...examples: string[]) {
  return writing('import', ...examples)
    .addHelpText(
      'after',
      `
The file is UTF-8: CSV with a header line (.csv), or NDJSON, one object per line (.ndjson, .jsonl).
An empty value, and null in NDJSON, counts as not given.
${columnsText(columns)}`,
    )
    .argument('<file>', 'the file, or - for standard input', (file) => {
      if (file === '') throw new InvalidArgumentError('The name is empty.');
      return file;
    })
    .addOption(
      new Option(
        '--format <format>',
        'the format, if the name of the file does not say it',
      ).choices(formats),
    )
    .option('--skip-invalid', 'import the valid rows, and save the others with their reasons')
    .option('--rejected <file>', 'where to save them (default: FILE.rejected.csv)');
}

/** For an import that also removes what the file does not name: a row that is skipped would count as not named. */
export const replaceOption = (description: string) =>
  new Option('--replace', description).conflicts('skipInvalid');

const noteWidth = 76;

function columnsText(columns: Columns): string {
  const width = Math.max(...Object.keys(columns).map((name) => name.length));
  const wrapped = (note: string) =>
    (note.match(new RegExp(`\\S.{0,${noteWidth - 1}}(?= |$)`, 'g')) ?? []).join(
      `\n${' '.repeat(width + 4)}`,
    );
  const lines = (isRequired: boolean) =>
    Object.entries(columns)
      .filter(([, column]) => column.isRequired === isRequired)
      .map(([name, { note }]) => `\n  ${name.padEnd(width)}  ${wrapped(note)}`);
  const optional = lines(false);
  return [
    '\nRequired columns:',
    ...lines(true),
    ...(optional.length > 0 ? ['\n\nOptional columns:', ...optional] : []),
  ].join('');
}
